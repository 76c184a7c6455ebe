// A responder that records what a server does with it, and fails the test if it is used after its
// end.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "peer/responder.hpp"

namespace lanyard::server {

class RecordingResponder final : public rpc::Responder {
public:
    bool attach(rpc::InboundWork& work) override {
        work_ = &work;
        return !gone_;
    }
    bool active() const noexcept override { return !ended_ && !gone_; }
    bool can_stream() const noexcept override { return streams; }
    std::string* begin_result() override {
        use();
        return &result;
    }
    void end_result() override { end(); }
    void fail(wire::WireError const& failure) override {
        end();
        error = failure;
    }
    void abandon() override {
        end();
        abandoned = true;
    }
    void notify(std::string_view method, std::string_view params) override {
        use();
        notifications.push_back(std::string(method) + " " + std::string(params));
    }
    void flush() override {
        use();
        flushed = notifications.size();
    }

    /// Simulates that the client disconnects.
    void go() {
        gone_ = true;
        if (work_ != nullptr && !ended_) work_->on_cancel("gone");
    }
    bool ended() const noexcept { return ended_; }

    bool streams = true;
    std::string result;
    std::optional<wire::WireError> error;
    std::vector<std::string> notifications;
    std::size_t flushed = 0;  ///< the number of notifications that were flushed
    bool abandoned = false;

private:
    void use() const { EXPECT_TRUE(active()) << "used after its end"; }
    void end() {
        use();
        ended_ = true;
    }

    rpc::InboundWork* work_ = nullptr;
    bool ended_ = false;
    bool gone_ = false;
};

}  // namespace lanyard::server

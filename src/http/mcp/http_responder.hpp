// HttpResponder: answers one stateless request through HTTP (MCP specification,
// basic/transports/streamable-http of 2026-07-28). The response is JSON, or an event stream if
// messages are sent before the result.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/server/reply.hpp"
#include "lanyard/http/mcp_options.hpp"
#include "peer/responder.hpp"

namespace lanyard::http {

/// Reusable: begin() starts the next request after the previous one has ended.
class HttpResponder final : public rpc::Responder, private ReplyWatcher {
public:
    /// Called when a responder has ended its request and can be reused.
    class Owner {
    public:
        virtual void on_ended(HttpResponder& responder) noexcept = 0;

    protected:
        ~Owner() = default;
    };

    explicit HttpResponder(Owner& owner) noexcept : owner_(owner) {}
    HttpResponder(HttpResponder const&) = delete;
    HttpResponder& operator=(HttpResponder const&) = delete;

    /// Begins to serve a request. `id` is the JSON text of the request's id, which must stay valid
    /// until outlive_request() is called.
    void begin(Reply& reply, std::string_view id, HttpAnswers form, bool takes_stream) noexcept;
    /// Leaves the reply to its connection, which ends it. Cancels the work.
    void give_up() noexcept;
    /// Must be called before the request's body becomes invalid. If the request is still
    /// unanswered, ensures that its id is copied in time: in this function, or in on_turn_end() if
    /// the reply keeps the body valid until then.
    void outlive_request();

    bool attach(rpc::InboundWork& work) override;
    bool active() const noexcept override { return reply_ != nullptr; }
    bool can_stream() const noexcept override { return can_stream_; }
    std::string* begin_result() override;
    void end_result() override;
    void fail(wire::WireError const& error) override;
    void abandon() override;
    void notify(std::string_view method, std::string_view params) override;
    void flush() override;

private:
    void on_gone() noexcept override;
    void on_turn_end() override;
    void on_silence() override;
    void keep_id();
    void begin_stream();
    std::string& begin_message();
    void end_message();
    void release() noexcept;

    Owner& owner_;
    Reply* reply_ = nullptr;
    rpc::InboundWork* work_ = nullptr;
    std::string_view id_;
    std::array<char, 24> short_id_;  // copy of the id, if it is short
    std::string kept_id_;            // copy of the id, if it is long
    std::string* out_ = nullptr;     // the buffer of the message that is being written
    std::size_t event_begin_ = 0;
    HttpAnswers form_ = HttpAnswers::automatic;
    bool can_stream_ = false;
    bool streaming_ = false;
};

}  // namespace lanyard::http

// SessionResponder: answers a request that was received on a duplex connection.
#pragma once

#include "runtime/peer_connection.hpp"
#include "server/call/call_responder.hpp"

namespace lanyard::server {

/// The connection must outlive the responder.
class SessionResponder final : public CallResponder {
public:
    SessionResponder() = default;
    SessionResponder(runtime::PeerConnection& connection, rpc::Ticket ticket) noexcept
        : connection_(&connection), ticket_(ticket) {}

    rpc::Ticket ticket() const noexcept { return ticket_; }

    bool attach(rpc::InboundWork& work) override {
        return connection_->peer().attach(ticket_, work);
    }
    bool active() const noexcept override { return connection_->peer().active(ticket_); }
    std::string* begin_result() override { return connection_->peer().begin_result(ticket_); }
    void end_result() override { connection_->peer().end_result(); }
    void fail(wire::WireError const& error) override;
    void abandon() override { connection_->peer().abandon(ticket_); }
    void notify(std::string_view method, std::string_view params) override;
    void progress(rpc::ProgressUpdate update) override;
    Result<std::int64_t> ask(std::string_view method, std::string_view params,
                             rpc::AnswerSink& sink, rpc::RequestSettings const& options) override;
    void cancel_question(std::int64_t id, std::string_view reason) override;
    bool is_behind() const noexcept override { return connection_->is_behind(); }
    bool can_stream() const noexcept override { return true; }
    void release_stream() override;
    void flush() override { connection_->flush(); }

private:
    runtime::PeerConnection* connection_ = nullptr;
    rpc::Ticket ticket_;
};

}  // namespace lanyard::server

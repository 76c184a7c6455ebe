// SessionTransport: an HTTP session as a Transport for the server.
#pragma once

#include <memory>

#include "http/mcp/http_session.hpp"
#include "lanyard/transport.hpp"
#include "runtime/transport_extras.hpp"

namespace lanyard::http {

/// Destroying the transport ends the session, unless the session is suspended.
class SessionTransport final : public Transport, public runtime::TransportExtras {
public:
    explicit SessionTransport(std::shared_ptr<HttpSession> session) noexcept
        : session_(std::move(session)), inbox_(session_->executor()) {
        session_->begin_serving(inbox_);
    }
    ~SessionTransport() override {
        close();
        session_->on_inbox_gone(inbox_);
    }
    SessionTransport(SessionTransport const&) = delete;
    SessionTransport& operator=(SessionTransport const&) = delete;

    boost::asio::any_io_executor executor() const override { return session_->executor(); }
    Task<std::optional<std::span<rpc::Frame const>>> read() override;
    void set_sink(rpc::FrameSink& sink) noexcept override { inbox_.set_sink(sink); }
    /// Accepts all messages without waiting: each stream has its own limit on unsent output.
    void write_now(rpc::Outbox& outbox) noexcept override;
    Task<> write(rpc::Outbox& outbox) override;
    void close() noexcept override { session_->end_serving(inbox_); }
    TransportInfo info() const override { return session_->info(); }
    std::shared_ptr<PeerInfo const> peer_info(std::uint64_t origin) const override {
        return session_->peer_info(origin);
    }
    /// watches_peer keeps the server from sending pings: a client that is not connected at the
    /// moment cannot answer them, but is not dead.
    TransportTraits traits() const noexcept override {
        return {.watches_peer = true, .speaks_http = true};
    }
    rpc::EnvelopeReader* shared_reader() noexcept override { return &session_->reader(); }
    void release_stream(std::uint64_t origin) noexcept override {
        session_->release_stream(origin);
    }
    std::unique_ptr<rpc::Suspended> take_suspended() noexcept override {
        return session_->take_suspended();
    }
    void on_handshake(std::optional<Version> version) noexcept override {
        session_->on_handshake(version);
    }

private:
    std::shared_ptr<HttpSession> session_;
    SessionInbox inbox_;
};

}  // namespace lanyard::http

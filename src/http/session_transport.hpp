// SessionTransport: an HTTP session as the server sees it, a connection like any other.
#pragma once

#include <memory>

#include "http/http_session.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::http {

/// The session ends with it.
class SessionTransport final : public Transport {
public:
    SessionTransport(boost::asio::any_io_executor executor,
                     std::shared_ptr<HttpSession> session) noexcept
        : executor_(std::move(executor)), session_(std::move(session)) {}
    ~SessionTransport() override { session_->end(); }

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override;
    void set_sink(rpc::FrameSink& sink) noexcept override { session_->inbox().set_sink(sink); }
    /// Takes everything: what a client does not read is limited stream by stream.
    void write_now(rpc::Outbox& outbox) noexcept override;
    Task<> write(rpc::Outbox& outbox) override;
    void close() noexcept override { session_->end(); }
    TransportInfo info() const override;
    std::shared_ptr<PeerFacts const> facts(std::uint64_t origin) const override {
        return session_->facts(origin);
    }
    /// A client without an open connection is no dead client.
    bool watches_peer() const noexcept override { return true; }
    rpc::EnvelopeReader* shared_reader() noexcept override { return &session_->reader(); }
    void release_stream(std::uint64_t origin) noexcept override {
        session_->release_stream(origin);
    }

private:
    boost::asio::any_io_executor executor_;
    std::shared_ptr<HttpSession> session_;
    std::uint64_t messages_out_ = 0;
    std::uint64_t bytes_out_ = 0;
};

}  // namespace lanyard::http

#include "http/session_transport.hpp"

namespace lanyard::http {

Task<std::optional<std::span<rpc::Frame const>>> SessionTransport::read() {
    session_->on_reader_waits();
    return session_->inbox().read();
}

void SessionTransport::write_now(rpc::Outbox& outbox) noexcept {
    while (!outbox.empty()) {
        auto const message = outbox.front();
        if (!message.empty()) ++messages_out_;
        bytes_out_ += message.size();
        session_->send(message, outbox.front_route());
        outbox.pop();
    }
}

Task<> SessionTransport::write(rpc::Outbox& outbox) {
    write_now(outbox);
    co_return;
}

TransportInfo SessionTransport::info() const {
    TransportInfo info;
    info.kind = "http";
    info.messages_out = messages_out_;
    info.bytes_out = bytes_out_;
    return info;
}

}  // namespace lanyard::http

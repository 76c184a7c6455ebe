#include "http/mcp/session_transport.hpp"

namespace lanyard::http {

Task<std::optional<std::span<rpc::Frame const>>> SessionTransport::read() {
    session_->on_reader_waits();
    return inbox_.read();
}

void SessionTransport::write_now(rpc::Outbox& outbox) noexcept {
    bool const served = session_->is_served_by(inbox_);
    while (!outbox.empty()) {
        auto const route = outbox.front_route();
        // Notifications that belong to no request are delivered even if the session has been
        // suspended since they were queued.
        if (served || (route.origin == 0 && route.kind == rpc::Route::Kind::notification)) {
            try {
                session_->send(outbox.front(), route);
            } catch (std::exception const&) {
                session_->break_off();
            }
        }
        outbox.pop();
    }
}

Task<> SessionTransport::write(rpc::Outbox& outbox) {
    write_now(outbox);
    co_return;
}

}  // namespace lanyard::http

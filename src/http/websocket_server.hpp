// WebSocketServer: opens WebSockets for clients that ask for them by HTTP, and has them served.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/request_handler.hpp"
#include "http/websocket_link.hpp"
#include "lanyard/http/mcp_options.hpp"

namespace lanyard::http {

struct SessionScope;

/// What is wrong with a request for a WebSocket.
struct UpgradeRefusal {
    Status status;
    std::string_view reason;
    std::string_view more{};  ///< lines of the answer's head
};

/// The name of what is spoken on a WebSocket (Sec-WebSocket-Protocol).
inline constexpr std::string_view websocket_protocol = "mcp";

/// Checks the handshake (RFC 6455, section 4.2.1). The offer's views are the request's.
Result<WebSocketOffer, UpgradeRefusal> read_offer(RequestHead const& head) noexcept;

/// Used on one executor. The endpoint and the scope's owner outlive it.
class WebSocketServer {
public:
    WebSocketServer(Endpoint& endpoint, std::shared_ptr<SessionScope> scope);

    /// Opens a WebSocket, or refuses. The gate has let the request in, and the verifier its sender.
    void on_request(Request const& request, Reply& reply);

    /// Those that are closed from now on are told that the server goes away.
    void stop() noexcept { site_->going_away = true; }

    WebSocketCounters const& counters() const noexcept { return site_->counters; }

private:
    Endpoint& endpoint_;
    std::shared_ptr<SessionScope> scope_;
    std::shared_ptr<WebSocketSite> site_;
};

}  // namespace lanyard::http

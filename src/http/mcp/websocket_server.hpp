// WebSocketServer: answers the HTTP requests with which clients open WebSockets, and passes the
// open WebSockets to the server.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/server/request_handler.hpp"
#include "http/websocket/websocket_link.hpp"
#include "lanyard/http/mcp_options.hpp"

namespace lanyard::http {

struct SessionShared;

/// Why a request for a WebSocket is refused.
struct UpgradeRefusal {
    Status status;
    std::string_view reason;
    std::string_view more{};  ///< further header lines for the response
};

/// Checks a request to open a WebSocket (RFC 6455, section 4.2.1). The views in the result refer to
/// the request.
Result<WebSocketOffer, UpgradeRefusal> read_offer(RequestHead const& head) noexcept;

/// Must be used on the executor `sessions->executor`. `endpoint` must outlive this object.
class WebSocketServer {
public:
    WebSocketServer(Endpoint& endpoint, std::shared_ptr<SessionShared> sessions);

    /// Opens a WebSocket, or refuses the request. The gate and the verifier have already admitted
    /// the request.
    void on_request(HttpRequest const& request, Reply& reply);

    /// Called when the server stops. WebSockets that are closed after this call get the close code
    /// 1001 (going away).
    void stop() noexcept { shared_->going_away = true; }

    WebSocketCounters const& counters() const noexcept { return shared_->counters; }

private:
    Endpoint& endpoint_;
    std::shared_ptr<SessionShared> sessions_;
    std::shared_ptr<WebSocketShared> shared_;
};

}  // namespace lanyard::http

// How a client opens WebSockets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lanyard/http/client.hpp"

namespace lanyard::http {

/// "ws://..." or "wss://...".
bool is_websocket_url(std::string_view url) noexcept;

/// As http_connector().
std::unique_ptr<Connector> websocket_connector(std::string url, HttpClientOptions options);

}  // namespace lanyard::http

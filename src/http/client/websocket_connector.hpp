// The connector of clients that use WebSockets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lanyard/http/client.hpp"

namespace lanyard::http {

/// Whether the URL begins with "ws://" or "wss://".
bool is_websocket_url(std::string_view url) noexcept;

/// Like http_connector(), for a URL that begins with "ws://" or "wss://".
std::unique_ptr<Connector> websocket_connector(std::string url, HttpClientOptions options);

}  // namespace lanyard::http

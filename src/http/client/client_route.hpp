// ClientRoute: the address to which a client of a URL connects, and the settings of its
// connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "http/client/client_machine.hpp"
#include "http/client/client_wire.hpp"
#include "http/client/proxy.hpp"
#include "http/message/url.hpp"
#include "lanyard/http/client.hpp"

namespace lanyard::http {

/// The address to connect to, and the settings of the connections.
struct ClientRoute {
    Url url;
    /// The host to connect to: the server, or a proxy.
    std::string host{};
    std::uint16_t port = 0;
    ClientMachineOptions machine{};
    ClientWireOptions wire{};
};

/// Makes the route to `url` from the options and the environment. Throws Error (invalid_argument)
/// if the URL, an option or a proxy variable of the environment is invalid.
ClientRoute plan_route(std::string const& url, HttpClientOptions const& options);
/// Returns the proxy for this URL, from the options or else from the environment. Throws Error
/// (invalid_argument) if the proxy's URL is invalid.
std::optional<Proxy> choose_proxy(Url const& url, HttpClientOptions const& options);
/// Returns the value of the Authorization header; empty if there is no token. Throws Error
/// (invalid_argument) if the token contains a control character.
std::string authorization_of(HttpClientOptions const& options);

}  // namespace lanyard::http

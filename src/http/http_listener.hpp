// Sets up an HTTP server from its options, for any request handler.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/server/loop_set.hpp"
#include "http/server/request_handler.hpp"
#include "http/server/server_loop.hpp"
#include "lanyard/http/listen.hpp"
#include "lanyard/http/server_options.hpp"

namespace lanyard::http {

/// A function that makes the request handler of one loop, which passes requests to `endpoint`. The
/// handler runs on `executor`, like the connections of the loop. Called once for each loop.
using HandlerFactory = std::function<std::unique_ptr<RequestHandler>(
    Endpoint& endpoint, boost::asio::any_io_executor const& executor, HttpServerOptions const&,
    LoopPlace const& place)>;

/// Like lanyard::listen(), but requests are served by a handler that `factory` makes. Throws Error:
/// unavailable if the address cannot be used, invalid_argument if an option is invalid.
std::unique_ptr<UrlListener> make_listener(std::string_view url, HttpServerOptions options,
                                           HandlerFactory factory);

/// Makes the parts of a server that do not depend on its executor. `bind_host` is the address at
/// which the server listens. Throws Error (invalid_argument) if an option is invalid.
ServerLoop::Parts make_parts(HttpServerOptions options, std::string bind_host);

}  // namespace lanyard::http

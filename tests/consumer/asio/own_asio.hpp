// The program's own use of Asio and Beast, next to Lanyard.
#pragma once

#include <string>

namespace boost::asio {
class io_context;
}

namespace own {

/// Starts timers, sockets, a resolver, a strand and the parts of start_beast(), and TLS if it is in
/// use, on the context.
void start(boost::asio::io_context& context);

/// Parses HTTP messages, and starts a WebSocket on the context.
void start_beast(boost::asio::io_context& context);

/// Records that a part has worked.
void report(std::string const& part);

/// Returns the names of the parts that worked: "timers sockets resolver strand parser websocket",
/// and "tls" if in use.
std::string outcome();

}  // namespace own

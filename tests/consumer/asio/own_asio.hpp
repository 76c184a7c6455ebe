// The program's own use of Asio, next to Lanyard.
#pragma once

#include <string>

namespace boost::asio {
class io_context;
}

namespace own {

/// Starts timers, sockets, a resolver and a strand, and TLS if it is in use, on the context.
void start(boost::asio::io_context& context);

/// Returns the names of the parts that worked: "timers sockets resolver strand", and "tls" if in
/// use.
std::string outcome();

}  // namespace own

// What a program does with Asio by itself, beside Lanyard.
#pragma once

#include <string>

namespace boost::asio {
class io_context;
}

namespace own {

/// Begins timers, sockets, a resolver and a strand, and TLS if it is in use, on the context.
void start(boost::asio::io_context& context);

/// What has become of it: "timers sockets resolver strand", with "tls" if it is in use.
std::string outcome();

}  // namespace own

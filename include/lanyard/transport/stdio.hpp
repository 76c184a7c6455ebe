// Serves over standard input and output, for servers that a client starts as a process.
#pragma once

#include <memory>

#include <lanyard/transport.hpp>
#include <lanyard/transport/framing.hpp>

namespace lanyard {

/// Serves the one client at the other end of stdin and stdout, until the client closes them or
/// stop() is called. If the client has closed only stdin, pending calls still have five seconds to
/// finish, and their answers are sent.
///
/// While the listener runs, stdout is reserved for the protocol: output that the program prints
/// there goes to stderr, and reading stdin yields nothing.
std::unique_ptr<Listener> stdio(StreamOptions const& options = {});

}  // namespace lanyard

// Serving over standard input and output, as clients start local servers.
#pragma once

#include <memory>

#include <lanyard/transport.hpp>
#include <lanyard/transport/framing.hpp>

namespace lanyard {

/// Serves the one client at the other end of stdin and stdout, until it closes them, goes away or
/// stop() is called. Where only stdin has ended, calls under way are answered before it ends, if
/// they take no longer than five seconds.
///
/// While it runs, stdout belongs to the protocol: what the program prints there goes to stderr, and
/// reading stdin gives nothing.
std::unique_ptr<Listener> stdio(StreamOptions const& options = {});

}  // namespace lanyard

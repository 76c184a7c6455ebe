// Applies SocketOptions to sockets.
#pragma once

#include "lanyard/transport/stream.hpp"

namespace lanyard::transport {

/// For a TCP socket, connected or listening; accepted connections inherit the settings.
void apply_tcp(SocketOptions const& options, int socket) noexcept;
/// For a socket of any kind.
void apply_buffers(SocketOptions const& options, int socket) noexcept;

}  // namespace lanyard::transport

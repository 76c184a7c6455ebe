// Applies SocketOptions to sockets.
#pragma once

#include "lanyard/transport/stream.hpp"

namespace lanyard::transport {

/// Applies the options to a TCP socket, connected or listening; accepted connections inherit them.
void apply_tcp(SocketOptions const& options, int socket) noexcept;
/// Applies the buffer sizes to a socket of any kind.
void apply_buffers(SocketOptions const& options, int socket) noexcept;

}  // namespace lanyard::transport

// Applies SocketOptions to sockets.
#pragma once

#include "lanyard/transport/stream.hpp"

namespace lanyard::transport {

/// Applies the options to a connected or listening TCP socket. The connections that a listening
/// socket accepts inherit its options.
void apply_tcp(SocketOptions const& options, int socket) noexcept;
/// Applies the buffer sizes to a socket of any kind.
void apply_buffers(SocketOptions const& options, int socket) noexcept;

}  // namespace lanyard::transport

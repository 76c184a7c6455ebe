#include "transport/socket_settings.hpp"

#include <algorithm>
#include <limits>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace lanyard::transport {

namespace {

void set(int socket, int level, int option, int value) noexcept {
    ::setsockopt(socket, level, option, &value, sizeof value);
}

// The number of unanswered keepalive probes after which the system closes the connection.
constexpr int keepalive_questions = 3;
// The time between two keepalive probes.
constexpr int seconds_between_questions = 10;

int as_int(std::size_t value) noexcept {
    return static_cast<int>(
        std::min<std::size_t>(value, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

}  // namespace

void apply_buffers(SocketOptions const& options, int socket) noexcept {
    if (options.receive_bytes() > 0) {
        set(socket, SOL_SOCKET, SO_RCVBUF, as_int(options.receive_bytes()));
    }
    if (options.send_bytes() > 0) set(socket, SOL_SOCKET, SO_SNDBUF, as_int(options.send_bytes()));
}

void apply_tcp(SocketOptions const& options, int socket) noexcept {
    apply_buffers(options, socket);
    set(socket, IPPROTO_TCP, TCP_NODELAY, options.no_delay() ? 1 : 0);
    bool const asks = options.keepalive_interval().count() > 0;
    set(socket, SOL_SOCKET, SO_KEEPALIVE, asks ? 1 : 0);
    if (!asks) return;
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE,
        as_int(static_cast<std::size_t>(options.keepalive_interval().count())));
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds_between_questions);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, keepalive_questions);
}

}  // namespace lanyard::transport

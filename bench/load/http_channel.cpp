#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/channel.hpp"
#include "samples.hpp"
#include "server_child.hpp"

namespace lanyard::bench {
namespace {

constexpr int patience_milliseconds = 60'000;
constexpr useconds_t pause_microseconds = 1000;

}  // namespace

HttpChannel::HttpChannel(Process& server, std::uint16_t port, Call& call, ChannelOptions options)
    : server_(server),
      port_(port),
      call_(call),
      options_(options),
      poll_(epoll_create1(EPOLL_CLOEXEC)),
      buffer_(256 * 1024) {
    for (std::size_t i = 0; i < options.width; ++i) {
        connections_.push_back(std::make_unique<Connection>());
        auto& connection = *connections_.back();
        connect(connection);
        if (options.sessions) {
            open_session(connection);
        } else {
            connection.request = call.request(port, "");
        }
        idle_.push_back(&connection);
    }
}

HttpChannel::~HttpChannel() {
    for (auto const& connection : connections_) close(connection->descriptor);
    close(poll_);
}

// Connects to a server that may still be starting.
void HttpChannel::connect(Connection& connection) {
    auto const end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_milliseconds);
    while ((connection.descriptor = open_socket(port_, false)) < 0) {
        server_.expect_running();
        if (std::chrono::steady_clock::now() > end) {
            throw std::runtime_error("the server does not listen");
        }
        usleep(pause_microseconds);
    }
    fcntl(connection.descriptor, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &connection;
    epoll_ctl(poll_, EPOLL_CTL_ADD, connection.descriptor, &event);
}

void HttpChannel::disconnect(Connection& connection) {
    close(connection.descriptor);
    connection.descriptor = -1;
}

// Returns whether the response is complete.
bool HttpChannel::read_some(Connection& connection) {
    for (;;) {
        auto const got = recv(connection.descriptor, buffer_.data(), buffer_.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
        if (got <= 0) throw std::runtime_error("the server has ended a connection");
        auto const size = static_cast<std::size_t>(got);
        if (connection.answer.take({buffer_.data(), size})) return true;
        if (size < buffer_.size()) return false;
    }
}

Answer const& HttpChannel::exchange(Connection& connection, std::string_view request) {
    connection.answer.clear();
    if (::send(connection.descriptor, request.data(), request.size(), 0) !=
        static_cast<ssize_t>(request.size())) {
        throw std::runtime_error("the server does not read");
    }
    while (!read_some(connection)) {
        pollfd waiting{connection.descriptor, POLLIN, 0};
        if (poll(&waiting, 1, patience_milliseconds) <= 0) {
            throw std::runtime_error("the server is silent");
        }
    }
    auto const status = connection.answer.status();
    if (status < 200 || status > 299) {
        throw std::runtime_error("status " + std::to_string(status) + ": " +
                                 std::string(connection.answer.body().substr(0, 300)));
    }
    return connection.answer;
}

void HttpChannel::open_session(Connection& connection) {
    auto const session = exchange(connection, post(port_, "", initialize_message)).session();
    if (session.empty()) throw std::runtime_error("the server gives no session");
    exchange(connection, post(port_, session_headers(session), initialized_message));
    connection.request = call_.request(port_, session);
}

void HttpChannel::send(std::size_t number) {
    auto& connection = *idle_.back();
    idle_.pop_back();
    call_.patch(connection.request, number);
    connection.number = number;
    connection.busy = true;
    connection.answer.clear();
    if (connection.descriptor < 0) connect(connection);
    auto const& request = connection.request;
    if (::send(connection.descriptor, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
        throw std::runtime_error("the server does not read");
    }
}

void HttpChannel::receive(int milliseconds, std::function<void(std::size_t)> const& answered) {
    std::array<epoll_event, 64> events;
    auto const count =
        epoll_wait(poll_, events.data(), static_cast<int>(events.size()), milliseconds);
    for (int i = 0; i < count; ++i) {
        auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (!connection.busy) {
            // No response is pending on it, so the server may close it.
            disconnect(connection);
            continue;
        }
        if (!read_some(connection)) continue;
        auto const& answer = connection.answer;
        if (answer.status() != 200) {
            throw std::runtime_error("status " + std::to_string(answer.status()) + ": " +
                                     std::string(answer.body().substr(0, 300)));
        }
        auto const message = answer.message();
        if (options_.checked && call_.check(message) != connection.number) {
            throw std::runtime_error("the answer to another call");
        }
        answer_bytes_ = message.size();
        if (answer.last()) disconnect(connection);
        connection.busy = false;
        idle_.push_back(&connection);
        answered(connection.number);
    }
}

}  // namespace lanyard::bench

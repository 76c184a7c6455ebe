// The least that a server can do, as a baseline for servers: send fixed answers over HTTP, and echo
// the input (or send fixed answers) over pipes and sockets.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lanyard::bench {

/// A result as long as that of a server with an echo tool.
constexpr std::string_view short_answer =
    R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)"
    R"("the quick brown fox jumps over the lazy dog"}],"resultType":"complete"}})";

inline std::string http_answer(std::string_view body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

inline bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const written = write(descriptor, bytes.data(), bytes.size());
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Sends the answer for each piece of input on connections of the listening socket: epoll, read,
/// write.
[[noreturn]] inline void answer_http_forever(int listening, std::string_view answer) {
    auto const poll = epoll_create1(0);
    auto const add = [poll](int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = descriptor;
        epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
    };
    add(listening);
    std::array<epoll_event, 64> events;
    std::array<char, 65536> buffer;
    for (;;) {
        auto const count = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            auto const descriptor = events[static_cast<std::size_t>(i)].data.fd;
            if (descriptor == listening) {
                add(accept(listening, nullptr, nullptr));
            } else if (read(descriptor, buffer.data(), buffer.size()) <= 0 ||
                       !write_all(descriptor, answer)) {
                close(descriptor);
            }
        }
    }
}

/// Echoes all input on connections of the listening socket, one connection after the other.
[[noreturn]] inline void echo_forever(int listening) {
    std::array<char, 65536> buffer;
    for (;;) {
        auto const descriptor = accept(listening, nullptr, nullptr);
        for (;;) {
            auto const got = read(descriptor, buffer.data(), buffer.size());
            if (got <= 0) break;
            if (!write_all(descriptor, {buffer.data(), static_cast<std::size_t>(got)})) break;
        }
        close(descriptor);
    }
}

/// Echoes stdin to stdout; if there is an answer, writes that for each line instead.
[[noreturn]] inline void answer_pipe_forever(std::string_view answer = {}) {
    std::array<char, 65536> buffer;
    std::string many;
    for (;;) {
        auto const got = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got <= 0) _exit(0);
        std::string_view out(buffer.data(), static_cast<std::size_t>(got));
        if (!answer.empty()) {
            many.clear();
            for (auto i = std::count(out.begin(), out.end(), '\n'); i > 0; --i) many += answer;
            out = many;
        }
        if (!write_all(STDOUT_FILENO, out)) _exit(1);
    }
}

}  // namespace lanyard::bench

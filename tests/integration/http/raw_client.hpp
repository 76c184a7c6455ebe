// RawClient: a TCP client that sends and reads arbitrary bytes, including invalid requests.
#pragma once

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/descriptors.hpp"

namespace lanyard::test {

/// A blocking client. Its operations fail after 20 seconds, which only guards against hangs.
class RawClient {
public:
    static constexpr int patience_ms = 20'000;

    explicit RawClient(std::uint16_t port, bool ipv6 = false, int receive_buffer = 0)
        : socket_(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receive_buffer > 0) {
            ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer,
                         sizeof receive_buffer);
        }
        int const on = 1;
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        int result = 0;
        if (ipv6) {
            sockaddr_in6 address{};
            address.sin6_family = AF_INET6;
            address.sin6_port = htons(port);
            address.sin6_addr = in6addr_loopback;
            result =
                ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        } else {
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_port = htons(port);
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            result =
                ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        }
        connected_ = result == 0;
    }

    /// Uses a socket that is already connected.
    explicit RawClient(transport::Descriptor socket)
        : socket_(std::move(socket)), connected_(true) {}

    bool connected() const noexcept { return connected_; }
    int descriptor() const noexcept { return socket_.get(); }

    /// Returns false if the server no longer accepts the bytes.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            if (!wait(POLLOUT)) return false;
            auto const size =
                ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (size < 0 && errno != EAGAIN) return false;
            if (size > 0) bytes.remove_prefix(static_cast<std::size_t>(size));
        }
        return true;
    }

    /// Returns some more bytes; empty at the end.
    std::string read_some(std::size_t most = 65'536) {
        std::string bytes(most, '\0');
        if (!wait(POLLIN)) throw std::runtime_error("nothing came");
        auto const size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        reset_ = size < 0 && errno == ECONNRESET;
        bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return bytes;
    }

    /// Returns the bytes up to and including this text; fewer if the connection has ended.
    std::string read_until(std::string_view text) {
        for (;;) {
            if (auto const at = buffer_.find(text); at != buffer_.npos) {
                auto const taken = buffer_.substr(0, at + text.size());
                buffer_.erase(0, taken.size());
                return taken;
            }
            auto const more = read_some();
            if (more.empty()) return std::exchange(buffer_, {});
            buffer_ += more;
        }
    }

    std::string read_exactly(std::size_t size) {
        while (buffer_.size() < size) {
            auto const more = read_some();
            if (more.empty()) break;
            buffer_ += more;
        }
        auto const taken = buffer_.substr(0, size);
        buffer_.erase(0, taken.size());
        return taken;
    }

    std::string read_to_end() {
        for (auto more = read_some(); !more.empty(); more = read_some()) buffer_ += more;
        return std::exchange(buffer_, {});
    }

    /// Returns a response with Content-Length: head and body.
    std::string read_response() {
        auto head = read_until("\r\n\r\n");
        auto const at = head.find("Content-Length:");
        if (at == head.npos) return head;
        auto const length = std::stoul(head.substr(at + 15));
        return head + read_exactly(length);
    }

    /// The same; empty if the connection ends first or nothing arrives in time.
    std::string read_to_end_or_response() {
        return readable(patience_ms) ? read_response() : std::string();
    }

    /// Whether the server ends the connection in time. Discards the rest of its output.
    bool ends() {
        while (readable(patience_ms)) {
            if (read_some().empty()) return true;
        }
        return false;
    }
    bool was_reset() const noexcept { return reset_; }
    /// Whether there are bytes to read, or the connection has ended.
    bool readable(int milliseconds) { return poll_for(POLLIN, milliseconds); }

    void half_close() { ::shutdown(socket_.get(), SHUT_WR); }
    void close() { socket_ = transport::Descriptor(); }
    /// Closes the socket so that the server gets RST instead of FIN.
    void reset() {
        linger const now{1, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close();
    }

private:
    bool wait(short events) { return poll_for(events, patience_ms); }
    bool poll_for(short events, int milliseconds) {
        pollfd entry{socket_.get(), events, 0};
        return ::poll(&entry, 1, milliseconds) > 0;
    }

    transport::Descriptor socket_;
    std::string buffer_;
    bool connected_ = false;
    bool reset_ = false;
};

inline std::string post_request(std::string_view body, std::string_view more = {}) {
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n" + std::string(more) + "\r\n" + std::string(body);
}

inline std::string get_request(std::string_view more = {}) {
    return "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" +
           std::string(more) + "\r\n";
}

}  // namespace lanyard::test

// A proxy that forwards everything to one server on this machine: requests with an absolute URL,
// and tunnels.
#pragma once

#include <poll.h>

#include "http_client/scripted_http_server.hpp"

namespace lanyard::http_client_test {

class ForwardingProxy {
public:
    explicit ForwardingProxy(int target) : target_(target) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        auto address = loopback(0);
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
        socklen_t size = sizeof address;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        ::listen(listener_, 16);
        acceptor_ = std::thread([this] {
            for (int socket = 0;
                 (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
                std::lock_guard const lock(mutex_);
                sockets_.push_back(socket);
                threads_.emplace_back([this, socket] { serve(socket); });
            }
        });
    }
    ~ForwardingProxy() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        for (int const socket : sockets_) ::shutdown(socket, SHUT_RDWR);
        for (auto& thread : threads_) thread.join();
        for (int const socket : sockets_) ::close(socket);
        ::close(listener_);
    }
    ForwardingProxy(ForwardingProxy const&) = delete;
    ForwardingProxy& operator=(ForwardingProxy const&) = delete;

    std::string url(std::string const& user = {}) const {
        return "http://" + user + "127.0.0.1:" + std::to_string(port_);
    }
    /// The heads of the requests it has received.
    std::vector<std::string> heads() const {
        std::lock_guard const lock(mutex_);
        return heads_;
    }
    /// Refuses tunnels from now on.
    void refuse() { refuses_ = true; }

private:
    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        return address;
    }
    static bool send_all(int socket, std::string_view text) {
        while (!text.empty()) {
            auto const sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    // Appends received bytes; returns false at the end.
    static bool receive(int socket, std::string& text) {
        char buffer[16 * 1024];
        auto const got = ::recv(socket, buffer, sizeof buffer, 0);
        if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
        return got > 0;
    }
    // Returns one message with its body, by its Content-Length; empty at the end.
    static std::string message(int socket, std::string& buffered) {
        for (;;) {
            auto const end = buffered.find("\r\n\r\n");
            if (end != std::string::npos) {
                auto const field = buffered.find("Content-Length: ");
                std::size_t const body = field < end ? std::stoul(buffered.substr(field + 16)) : 0;
                if (buffered.size() >= end + 4 + body) {
                    auto whole = buffered.substr(0, end + 4 + body);
                    buffered.erase(0, whole.size());
                    return whole;
                }
            }
            if (!receive(socket, buffered)) return {};
        }
    }

    void serve(int socket) {
        int const upstream = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        auto address = loopback(target_);
        ::connect(upstream, reinterpret_cast<sockaddr*>(&address), sizeof address);
        std::string from_client;
        std::string from_server;
        for (std::string request; !(request = message(socket, from_client)).empty();) {
            {
                std::lock_guard const lock(mutex_);
                heads_.push_back(request.substr(0, request.find("\r\n\r\n") + 4));
            }
            if (request.starts_with("CONNECT ")) {
                if (refuses_) {
                    send_all(socket, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
                    break;
                }
                send_all(socket, "HTTP/1.1 200 Connection established\r\n\r\n");
                splice(socket, upstream);
                break;
            }
            // "POST http://host/path" becomes "POST /path".
            auto const scheme = request.find("http://");
            request.erase(scheme, request.find('/', scheme + 7) - scheme);
            send_all(upstream, request);
            send_all(socket, message(upstream, from_server));
        }
        ::shutdown(socket, SHUT_RDWR);
        ::close(upstream);
    }

    static void splice(int one, int other) {
        for (;;) {
            pollfd ends[] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
            if (::poll(ends, 2, 30'000) <= 0) return;
            for (int i = 0; i < 2; ++i) {
                if (ends[i].revents == 0) continue;
                std::string text;
                if (!receive(ends[i].fd, text)) return;
                if (!send_all(ends[1 - i].fd, text)) return;
            }
        }
    }

    int target_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> refuses_ = false;
    std::thread acceptor_;
    mutable std::mutex mutex_;
    std::list<std::thread> threads_;
    std::vector<int> sockets_;
    std::vector<std::string> heads_;
};

}  // namespace lanyard::http_client_test

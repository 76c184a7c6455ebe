// For benchmarks of servers with one message per line (stdio, TCP): a client with blocking
// descriptors, and the messages it sends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "floor.hpp"
#include "samples.hpp"
#include "server_child.hpp"

namespace lanyard::bench {

/// Calls to be sent at the same time.
inline std::string call_lines(int count, std::string_view tool = "echo",
                              std::string_view arguments = text_arguments) {
    std::string many;
    for (int i = 0; i < count; ++i) many += call_of(tool, arguments, {}, 100 + i) + '\n';
    return many;
}

class LineClient {
public:
    explicit LineClient(PipeServer const& server) : to_(server.to()), from_(server.from()) {}
    explicit LineClient(PortServer const& server)
        : socket_(connect_to(server.port())), to_(socket_), from_(socket_) {}
    LineClient(LineClient&& other) noexcept
        : socket_(std::exchange(other.socket_, -1)), to_(other.to_), from_(other.from_) {}
    LineClient& operator=(LineClient&&) = delete;
    ~LineClient() {
        if (socket_ >= 0) close(socket_);
    }

    void send(std::string_view lines) const {
        if (!write_all(to_, lines)) throw std::runtime_error("the server is gone");
    }
    /// Reads until this many lines have arrived.
    void receive(int lines) const {
        while (lines > 0) lines -= static_cast<int>(std::ranges::count(next_piece(), '\n'));
    }
    /// Sends a message and returns the answer.
    std::string call(std::string_view line) const {
        send(line);
        std::string answer;
        while (!answer.ends_with('\n')) answer += next_piece();
        return answer;
    }
    void open_session() const {
        send(std::string(initialize_message) + '\n' + std::string(initialized_message) + '\n');
        receive(1);
    }

private:
    std::string_view next_piece() const {
        static std::array<char, 65536> buffer;
        auto const got = read(from_, buffer.data(), buffer.size());
        if (got <= 0) throw std::runtime_error("the server has ended the connection");
        return {buffer.data(), static_cast<std::size_t>(got)};
    }

    int socket_ = -1;
    int to_;
    int from_;
};

}  // namespace lanyard::bench

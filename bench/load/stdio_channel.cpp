#include <array>
#include <cerrno>
#include <stdexcept>

#include <poll.h>
#include <unistd.h>

#include "load/channel.hpp"
#include "samples.hpp"

namespace lanyard::bench {
namespace {

constexpr int patience_milliseconds = 60'000;

}  // namespace

StdioChannel::StdioChannel(Process& server, Call& call, ChannelOptions options)
    : server_(server), call_(call), options_(options), line_(call.line()) {
    if (!options.sessions) return;
    out_ = std::string(initialize_message) + '\n';
    write_out();
    auto const answer = next_line();
    if (answer.find(R"("serverInfo")") == answer.npos) {
        throw std::runtime_error("not initialized: " + answer.substr(0, 300));
    }
    out_ = std::string(initialized_message) + '\n';
    write_out();
}

// The requests that may be under way fit into a pipe, so this waits only for the server.
void StdioChannel::write_out() {
    std::string_view rest = out_;
    while (!rest.empty()) {
        auto const written = write(server_.to(), rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw std::runtime_error("the server does not read");
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    out_.clear();
}

// Returns whether something has arrived.
bool StdioChannel::read_in(int milliseconds) {
    if (milliseconds >= 0) {
        pollfd waiting{server_.from(), POLLIN, 0};
        if (poll(&waiting, 1, milliseconds) <= 0) return false;
    }
    std::array<char, 65536> buffer;
    auto const got = read(server_.from(), buffer.data(), buffer.size());
    if (got <= 0) throw std::runtime_error("the server has closed its output");
    in_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
}

std::string StdioChannel::next_line() {
    std::size_t end = 0;
    while ((end = in_.find('\n')) == in_.npos) {
        if (!read_in(patience_milliseconds)) throw std::runtime_error("the server is silent");
    }
    auto line = in_.substr(0, end);
    in_.erase(0, end + 1);
    return line;
}

void StdioChannel::send(std::size_t number) {
    call_.patch(line_, number);
    out_ += line_;
    ++under_way_;
    if (!options_.checked) sent_.push_back(number);
}

void StdioChannel::receive(int milliseconds, std::function<void(std::size_t)> const& answered) {
    write_out();
    auto const seen = in_.size();
    if (!read_in(milliseconds)) return;
    std::size_t begin = 0;
    auto end = in_.find('\n', seen);
    for (; end != in_.npos; begin = end + 1, end = in_.find('\n', begin)) {
        auto const line = std::string_view(in_).substr(begin, end - begin);
        std::optional<std::size_t> number;
        if (options_.checked) {
            number = call_.check(line);
            if (!number) continue;
        } else {
            number = sent_.front();
            sent_.pop_front();
        }
        answer_bytes_ = line.size();
        --under_way_;
        answered(*number);
    }
    in_.erase(0, begin);
}

}  // namespace lanyard::bench

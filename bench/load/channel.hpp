// Connections to a server: calls are sent by number, and reported by number when answered
// correctly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "load/answer.hpp"
#include "load/call.hpp"
#include "load/process.hpp"

namespace lanyard::bench {

class Channel {
public:
    virtual ~Channel() = default;

    /// Whether another call can be sent now.
    virtual bool ready() const = 0;
    /// Sends a call, at the latest during the next receive().
    virtual void send(std::size_t number) = 0;
    /// Waits up to this many milliseconds (-1: without limit, 0: not at all), and reports each call
    /// that was answered. Throws if an answer is wrong.
    virtual void receive(int milliseconds, std::function<void(std::size_t)> const& answered) = 0;
    /// Bytes of the message in the last answer.
    std::size_t answer_bytes() const { return answer_bytes_; }

protected:
    std::size_t answer_bytes_ = 0;
};

/// How calls are made and answers checked.
struct ChannelOptions {
    bool sessions = true;   ///< the server must be initialized first (2025-11-25)
    bool checked = true;    ///< answers are checked, not only counted
    std::size_t width = 1;  ///< connections (HTTP), or calls under way (stdio)
};

/// Calls over the pipes of a process, answered in any order. Calls that are sent together are sent
/// in one write.
class StdioChannel final : public Channel {
public:
    StdioChannel(Process& server, Call& call, ChannelOptions options);

    bool ready() const override { return under_way_ < options_.width; }
    void send(std::size_t number) override;
    void receive(int milliseconds, std::function<void(std::size_t)> const& answered) override;

private:
    void write_out();
    bool read_in(int milliseconds);
    std::string next_line();

    Process& server_;
    Call& call_;
    ChannelOptions options_;
    std::string line_;
    std::string out_;
    std::string in_;
    std::size_t under_way_ = 0;
    std::deque<std::size_t> sent_;  // unchecked calls, in the order of sending
};

/// Calls over connections that stay open, one at a time on each, each with its own session.
class HttpChannel final : public Channel {
public:
    HttpChannel(Process& server, std::uint16_t port, Call& call, ChannelOptions options);
    ~HttpChannel() override;
    HttpChannel(HttpChannel const&) = delete;
    HttpChannel& operator=(HttpChannel const&) = delete;

    bool ready() const override { return !idle_.empty(); }
    void send(std::size_t number) override;
    void receive(int milliseconds, std::function<void(std::size_t)> const& answered) override;

private:
    struct Connection {
        int descriptor = -1;
        std::string request;
        Answer answer;
        std::size_t number = 0;
        bool busy = false;
    };

    void connect(Connection& connection);
    void disconnect(Connection& connection);
    void open_session(Connection& connection);
    Answer const& exchange(Connection& connection, std::string_view request);
    bool read_some(Connection& connection);

    Process& server_;
    std::uint16_t port_;
    Call& call_;
    ChannelOptions options_;
    int poll_ = -1;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<Connection*> idle_;
    std::vector<char> buffer_;
};

}  // namespace lanyard::bench

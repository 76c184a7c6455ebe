// ServerEngine: serves one peer from the program's own event loop, which passes received messages
// to the engine and sends the messages of the engine.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <lanyard/server/server.hpp>

namespace lanyard {

/// One connection of a server, driven by the caller. Not thread-safe: all functions, and the
/// callback `send`, run on one thread.
///
/// Slow handlers still run in the server's threads, unless Server::executor() is set.
class ServerEngine {
public:
    /// Called with each message to send to the peer: a JSON text on one line, without a line end.
    /// The function must not call the engine.
    using Send = std::function<void(std::string_view message)>;
    /// Called when poll() has work to do. May be called on any thread.
    using Wake = std::function<void()>;

    /// The server must outlive the engine.
    ServerEngine(Server& server, Send send, Wake wake = {});
    ~ServerEngine();
    ServerEngine(ServerEngine const&) = delete;
    ServerEngine& operator=(ServerEngine const&) = delete;

    /// Processes one message from the peer as far as possible without blocking.
    void on_message(std::string_view text);
    /// Does all work that is due. Call it after each call of `wake`, and in addition periodically
    /// for timeouts (ten times a second is enough).
    void poll();
    /// Cancels pending requests. Must be called when the peer has disconnected. Idempotent.
    void close();
    /// True once the server has closed the connection.
    bool closed() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanyard

// Engine: serves one peer from an event loop of the user's own: messages in, messages out.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <lanyard/server/server.hpp>

namespace lanyard::server {

/// One connection of a server, driven by hand. Not thread-safe: all functions are called on one
/// thread, which is also the one that `send` is called on.
///
/// Handlers that take their time still run in the server's threads, unless Server::executor says
/// otherwise.
class Engine {
public:
    /// Gets one message for the peer: a JSON text on one line, without its end. Must not call the
    /// engine.
    using Send = std::function<void(std::string_view message)>;
    /// Called from any thread when poll() has something to do.
    using Wake = std::function<void()>;

    /// The server must outlive the engine.
    Engine(Server& server, Send send, Wake wake = {});
    ~Engine();
    Engine(Engine const&) = delete;
    Engine& operator=(Engine const&) = delete;

    /// Takes one message of the peer and does what can be done at once.
    void on_message(std::string_view text);
    /// Does what has become due. To be called after a wake, and now and then besides (ten times a
    /// second is plenty), so that timeouts are noticed.
    void poll();
    /// The peer is gone: requests under way are cancelled. May be called again.
    void close();
    /// True once the server has ended the connection.
    bool closed() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lanyard::server

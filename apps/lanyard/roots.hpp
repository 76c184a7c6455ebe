// The folders of --root, and waiting until a server has read them.
#pragma once

#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "lanyard/protocol/roots.hpp"
#include "lanyard/time_source.hpp"

namespace lanyard::app {

/// How long to wait for a server's roots/list request. Many servers of the legacy era send it as
/// soon as the connection is open, and refuse calls until they have the answer.
constexpr Duration roots_request_wait = std::chrono::milliseconds(500);
/// The pause after the answer, in which the server can apply the roots. The protocol has no message
/// that confirms them.
constexpr Duration roots_applied_wait = std::chrono::milliseconds(100);

/// Answers roots/list, and delays a command until the server has had time to apply the answer. All
/// functions must be called on one executor.
class Roots {
public:
    explicit Roots(std::vector<Root> roots) : roots_(std::move(roots)) {}

    /// The handler for ClientOptions::on_roots.
    std::vector<Root> answer();

    /// Waits at most roots_request_wait for the server's first roots/list request. After this
    /// request has been answered, waits for roots_applied_wait. Can be cancelled.
    Task<> await_read(TimeSource& time);

private:
    class Registration;

    std::vector<Root> roots_;
    bool asked_ = false;
    // A timer that never expires. It is cancelled to wake await_read(). Null while await_read()
    // does not wait.
    boost::asio::steady_timer* changed_ = nullptr;
};

}  // namespace lanyard::app

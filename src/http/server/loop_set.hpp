// LoopSet: the loops of one listener. Passes requests that belong to another loop on to that loop.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/server/request_handler.hpp"

namespace lanyard::http {

class ServerLoop;

/// The place of a loop among the loops of its listener.
struct LoopPlace {
    std::shared_ptr<class LoopSet> loops{};  ///< null if the listener has one loop
    std::size_t index = 0;
};

/// Thread-safe, except add().
class LoopSet {
public:
    /// Adds the loop with the next number. All loops must be added before the first one runs.
    void add(std::shared_ptr<ServerLoop> const& loop);
    std::size_t size() const noexcept { return loops_.size(); }

    /// Lets the loop with the number `to` serve a request that has arrived on the loop with the
    /// number `from`. The connection of the request moves to that loop and stays there, so that its
    /// later requests find their session at once. A connection that has moved often is not moved
    /// again, because it carries requests for sessions of several loops: a proxy may use it for
    /// many clients. Its request is forwarded instead.
    ///
    /// Must be called by a request handler, with the request and the reply that it was called with.
    /// Returns false if the other loop has ended; then the reply has not been used.
    bool pass(std::size_t from, std::size_t to, HttpRequest const& request, Reply& reply);

private:
    struct Target {
        boost::asio::any_io_executor executor;
        std::weak_ptr<ServerLoop> loop;
    };
    class Move;

    std::vector<Target> loops_;
};

/// Returns the request as it would arrive on a connection.
std::string text_of(HttpRequest const& request);

}  // namespace lanyard::http

// Router: the table of an HTTP server's routes, by path and method.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/server/request_reader.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::http {

struct RouteTarget {
    enum class Kind : std::uint8_t {
        post,         ///< POST: a message from a client
        stream,       ///< GET: opens a stream for the server's own messages, or resumes a stream
        end_session,  ///< DELETE: ends a session
        sse_stream,   ///< HTTP+SSE (protocol revision 2024-11-05), GET: opens the stream
        sse_message,  ///< HTTP+SSE (protocol revision 2024-11-05), POST: a message from a client
        websocket,    ///< GET: opens a WebSocket
        preflight,    ///< CORS: a browser asks whether a page may call the server
        extra,        ///< an additional route of the program; `number` identifies it
    };

    Kind kind = Kind::extra;
    std::uint16_t number = 0;

    bool operator==(RouteTarget const&) const = default;
};

/// The route for one method of a path, and the headers that its requests must have.
struct RouteRule {
    Method method = Method::get;
    RouteTarget route{};
    bool json_body = false;      ///< Content-Type must be application/json
    bool json_answer = false;    ///< Accept must allow application/json
    bool stream_answer = false;  ///< Accept must allow text/event-stream
};

struct EndpointOptions {
    std::string path = "/mcp";
    /// Whether GET is served.
    bool streams = true;
    /// Whether DELETE is served.
    bool sessions = true;
    /// Whether a POST may be answered with an event stream.
    bool stream_answers = true;
    /// The two paths of HTTP+SSE; both empty if it is not served.
    std::string sse_path{};
    std::string message_path{};
    /// The path of WebSockets; empty if they are not served.
    std::string websocket_path{};
};

/// The routes of one server. Paths are compared without decoding or normalization, except that a
/// slash at the end makes no difference.
class Router {
public:
    /// Fails (invalid_argument) if a path is invalid, if two routes are the same, or if only one of
    /// the two paths of HTTP+SSE is set.
    static Result<Router> make(EndpointOptions const& options);

    Result<void> add(std::string_view path, RouteRule const& rule);

    struct Match {
        RouteRule const* rule = nullptr;  ///< null if the path, or the method of the path, is
                                          ///< unknown
        std::string_view allow{};         ///< the path's methods, as in the Allow header; empty if
                                          ///< the path is unknown
    };
    Match find(Method method, std::string_view path) const noexcept;

    /// One path, and a rule for each of its methods.
    struct Path {
        std::string path;
        std::string allow;  ///< "GET, POST"
        std::vector<RouteRule> rules;
    };
    std::span<Path const> paths() const noexcept { return paths_; }

private:
    std::vector<Path> paths_;
};

}  // namespace lanyard::http

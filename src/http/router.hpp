// Which path and method mean what: the table of an HTTP server's routes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

#include "http/request_reader.hpp"

namespace lanyard::http {

struct Route {
    enum class Kind : std::uint8_t {
        post,         ///< a message to the endpoint
        stream,       ///< GET: the server's own messages, or a stream resumed
        end_session,  ///< DELETE
        sse_stream,   ///< HTTP+SSE of 2024-11-05: the stream
        sse_message,  ///< and a message
        websocket,    ///< GET: a WebSocket is to be opened
        preflight,    ///< a browser asks whether a page may call
        extra,        ///< a route of the program around the endpoint; `number` says which
    };

    Kind kind = Kind::extra;
    std::uint16_t number = 0;

    bool operator==(Route const&) const = default;
};

/// What a route demands before anything looks at the request.
struct RouteRule {
    Method method = Method::get;
    Route route{};
    bool json_body = false;      ///< Content-Type must be application/json
    bool json_answer = false;    ///< Accept must allow application/json
    bool stream_answer = false;  ///< and text/event-stream
};

struct EndpointOptions {
    std::string path = "/mcp";
    bool streams = true;         ///< GET is served
    bool sessions = true;        ///< DELETE is served
    bool stream_answers = true;  ///< POST may be answered with a stream
    /// The two paths of HTTP+SSE; both empty where it is not served.
    std::string sse_path{};
    std::string message_path{};
    /// Empty where no WebSockets are served.
    std::string websocket_path{};
};

/// The routes of one server. A path is compared as it is: nothing is decoded or tidied up, but a
/// slash at its end makes no difference.
class Router {
public:
    /// Bad paths are refused (invalid_argument).
    static Result<Router> make(EndpointOptions const& options);

    Result<void> add(std::string_view path, RouteRule const& rule);

    struct Match {
        RouteRule const* rule = nullptr;  ///< null where the path or its method is not known
        std::string_view allow{};         ///< the path's methods; empty where it is not known
    };
    Match find(Method method, std::string_view path) const noexcept;

    /// Every path with its rules.
    struct Path {
        std::string path;
        std::string allow;  ///< "GET, POST"
        std::vector<RouteRule> rules;
    };
    std::span<Path const> paths() const noexcept { return paths_; }

private:
    std::vector<Path> paths_;
};

/// "DELETE"; Method::other has none.
std::string_view to_string(Method method) noexcept;

}  // namespace lanyard::http

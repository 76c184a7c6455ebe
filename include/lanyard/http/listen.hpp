// Serving over HTTP: listen() opens a port of its own, HttpMount takes connections from a server
// that the program has already.
#pragma once

#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include <lanyard/http/server_options.hpp>
#include <lanyard/task.hpp>
#include <lanyard/transport.hpp>
#include <lanyard/transport/url_listener.hpp>

namespace lanyard {

namespace http {
class ServerLoop;
}

/// Listens at "http://127.0.0.1:8080/mcp" or "https://...". Port 0 takes a free one; "localhost" is
/// both of its addresses. A URL without a path means the one of the options.
///
/// Connections are taken from now on and served once it runs, all of them on the executor that
/// runs it, which has one thread. Throws Error: unavailable where the address cannot be had,
/// invalid_argument where the options do not make sense; a server that other machines can reach
/// needs allow_host().
std::unique_ptr<UrlListener> listen(std::string_view url, HttpServerOptions options);

/// Serves an endpoint on connections that somebody else has accepted.
///
/// Used on its executor, which has one thread; the endpoint has to outlive it.
class HttpMount {
public:
    /// Needs allow_host(), since it cannot know who can reach the server; and with TLS, it does
    /// that itself.
    HttpMount(Endpoint& endpoint, boost::asio::any_io_executor executor, HttpServerOptions options);
    /// Ends every connection at once.
    ~HttpMount();
    HttpMount(HttpMount const&) = delete;
    HttpMount& operator=(HttpMount const&) = delete;

    /// Takes over a connected stream socket (its descriptor; it is closed when the connection
    /// ends), and what was read from it already, beginning with a request line. Every further
    /// request on the connection is served here, too.
    void take(int socket, std::string_view already_read = {});

    /// Takes no more, and completes when every connection has ended, at the latest after the
    /// options' shutdown_grace.
    Task<> stop();

private:
    std::shared_ptr<http::ServerLoop> loop_;
};

}  // namespace lanyard

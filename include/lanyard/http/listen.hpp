// Serves over HTTP. listen() opens its own port; HttpMount serves connections that the program has
// accepted itself.
#pragma once

#include <memory>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include <lanyard/http/server_options.hpp>
#include <lanyard/task.hpp>
#include <lanyard/transport.hpp>
#include <lanyard/transport/url_listener.hpp>

namespace lanyard {

/// Listens at "http://127.0.0.1:8080/mcp" or "https://...". Port 0 selects a free port; "localhost"
/// listens at both its IPv4 and its IPv6 address. A URL without a path uses McpHttpOptions::path.
///
/// Connections are accepted immediately, but served only while the listener runs. All connections
/// are served on the executor that runs the listener, which must be single-threaded, or on threads
/// of the listener (HttpServerOptions::threads). If other machines can reach the server, the
/// options must contain allow_host().
///
/// If the address or an option cannot be used, the functions of the returned listener throw the
/// error, which Server::run() prints; see UrlListener.
std::unique_ptr<UrlListener> listen(std::string_view url, HttpServerOptions options);

/// Serves an endpoint on connections that the program has accepted itself.
///
/// Use the mount only on the executor that is passed to the constructor. The executor must be
/// single-threaded. The endpoint must outlive the mount.
class HttpMount {
public:
    /// The options must contain at least one allow_host(), because the mount cannot find out who
    /// can reach the server. If TLS options are set, the mount performs the TLS handshake itself.
    HttpMount(Endpoint& endpoint, boost::asio::any_io_executor executor, HttpServerOptions options);
    /// Closes every connection immediately.
    ~HttpMount();
    HttpMount(HttpMount const&) = delete;
    HttpMount& operator=(HttpMount const&) = delete;

    /// Takes ownership of a connected stream socket. `already_read` has the bytes that the program
    /// has already read from the socket; if there are any, they must start with the first line of
    /// an HTTP request. The mount serves this request and all further requests on the connection.
    /// The descriptor is closed when the connection ends.
    void take(int socket, std::string_view already_read = {});

    /// Accepts no more connections. Completes when every connection has ended, at the latest after
    /// the options' shutdown_timeout.
    Task<> stop();

private:
    struct Impl;
    std::shared_ptr<Impl> loop_;
};

}  // namespace lanyard

#include "lanyard/http/listen.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "http/http_listener.hpp"
#include "http/mcp/mcp_handler.hpp"
#include "sockets/bind.hpp"
#include "sockets/failed_listener.hpp"

namespace lanyard {
namespace {

// Returns a function that makes the handlers of one listener.
http::HandlerFactory make_handlers() {
    return [shared = std::shared_ptr<http::EndpointShared>()](
               Endpoint& endpoint, boost::asio::any_io_executor const& executor,
               HttpServerOptions const& options, http::LoopPlace const& place) mutable {
        if (!shared) {
            shared = std::make_shared<http::EndpointShared>(options.mcp(), endpoint.random(),
                                                            options.threads());
        }
        return http::make_mcp_endpoint(endpoint, executor, options.mcp(), shared, place);
    };
}

// Sets the options that an accepted socket of a listener has: non-blocking, close-on-exec and
// TCP_NODELAY.
void prepare(int socket) {
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    int const on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

std::unique_ptr<UrlListener> listen(std::string_view url, HttpServerOptions options) {
    try {
        return http::make_listener(url, std::move(options), make_handlers());
    } catch (Error const&) {
        return std::make_unique<sockets::FailedListener<UrlListener>>(url,
                                                                      std::current_exception());
    }
}

struct HttpMount::Impl final : http::ServerLoop {
    using ServerLoop::ServerLoop;
};

HttpMount::HttpMount(Endpoint& endpoint, boost::asio::any_io_executor executor,
                     HttpServerOptions options) {
    if (options.threads() != 1) {
        throw Error(
            Errc::invalid_argument,
            "HttpServerOptions::threads must be 1 for an HttpMount, which has one executor");
    }
    auto parts = http::make_parts(std::move(options), "0.0.0.0");
    auto handler = make_handlers()(endpoint, executor, parts.options, {});
    loop_ =
        std::make_shared<Impl>(std::move(executor), std::move(parts), endpoint, std::move(handler));
}

HttpMount::~HttpMount() {
    loop_->destroy();
}

void HttpMount::take(int socket, std::string_view already_read) {
    prepare(socket);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size);
    auto peer = sockets::name_of(address);
    loop_->add(socket, std::move(peer.address), std::move(peer.text), already_read);
}

Task<> HttpMount::stop() {
    auto const loop = loop_;
    loop->stop(loop->grace());
    co_await loop->ended();
}

}  // namespace lanyard

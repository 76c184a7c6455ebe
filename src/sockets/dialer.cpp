#include "sockets/dialer.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>

#include "lanyard/error.hpp"
#include "runtime/event.hpp"

namespace lanyard::sockets {

namespace asio = boost::asio;
using asio::ip::tcp;

// The state of a name lookup. The system cannot interrupt a lookup, so a cancelled dial() does not
// wait for the end of the lookup.
struct Dialer::Lookup {
    explicit Lookup(asio::any_io_executor const& executor) : changed(executor) {}

    runtime::Event changed;
    boost::system::error_code failure;
    tcp::resolver::results_type results;
    bool ended = false;
};

Dialer::Dialer(asio::any_io_executor const& executor) : socket_(executor), resolver_(executor) {}

Task<std::vector<tcp::endpoint>> Dialer::resolve(std::string const& host, std::uint16_t port) {
    std::vector<tcp::endpoint> found;
    boost::system::error_code error;
    auto const literal = asio::ip::make_address(host, error);
    if (!error) {
        found.emplace_back(literal, port);
        co_return found;
    }
    auto const lookup = std::make_shared<Lookup>(socket_.get_executor());
    lookup_ = lookup;
    resolver_.async_resolve(
        host, std::to_string(port), tcp::resolver::numeric_service,
        [lookup](boost::system::error_code const& failure, tcp::resolver::results_type results) {
            lookup->failure = failure;
            lookup->results = std::move(results);
            lookup->ended = true;
            lookup->changed.notify();
        });
    while (!lookup->ended && !cancelled_) co_await lookup->changed.wait();
    if (lookup->failure) {
        throw Error(Errc::unavailable, "cannot find " + host + ": " + lookup->failure.message());
    }
    for (auto const& entry : lookup->results) found.push_back(entry.endpoint());
    co_return found;
}

Task<tcp::socket> Dialer::dial(std::string host, std::uint16_t port) {
    auto const addresses = co_await resolve(host, port);
    boost::system::error_code error = asio::error::host_not_found;
    for (auto const& address : addresses) {
        if (cancelled_) break;
        boost::system::error_code ignored;
        socket_.close(ignored);
        socket_.open(address.protocol(), error);
        if (error) continue;
        fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
        co_await socket_.async_connect(address, asio::redirect_error(asio::use_awaitable, error));
        if (!error) break;
    }
    if (cancelled_) error = asio::error::operation_aborted;
    if (error) {
        throw Error(Errc::unavailable, "cannot connect to " + host + ":" + std::to_string(port) +
                                           ": " + error.message());
    }
    co_return std::move(socket_);
}

void Dialer::cancel() noexcept {
    cancelled_ = true;
    resolver_.cancel();
    if (lookup_) lookup_->changed.notify();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

}  // namespace lanyard::sockets

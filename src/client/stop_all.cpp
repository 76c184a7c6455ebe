#include "client/stop_all.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>

#include "runtime/await_on.hpp"
#include "runtime/event.hpp"

namespace lanyard::client {

namespace {

struct Stopping {
    explicit Stopping(boost::asio::any_io_executor const& executor) : changed(executor) {}
    std::size_t waiting = 0;
    runtime::Event changed;
};

Task<> stop_each(boost::asio::any_io_executor executor, std::vector<Client> clients,
                 Duration grace) {
    auto const stopping = std::make_shared<Stopping>(executor);
    stopping->waiting = clients.size();
    for (auto const& client : clients) {
        auto ended = [stopping, client](std::exception_ptr const&) {
            if (--stopping->waiting == 0) stopping->changed.notify();
        };
        boost::asio::co_spawn(executor, client.stop(grace), std::move(ended));
    }
    while (stopping->waiting > 0) co_await stopping->changed.wait();
}

}  // namespace

Task<> stop_all(std::vector<Client> clients, Duration grace) {
    // The caller's executor may have many threads, so a strand protects Stopping::waiting.
    boost::asio::any_io_executor const strand =
        boost::asio::make_strand(co_await boost::asio::this_coro::executor);
    auto stopping = stop_each(strand, std::move(clients), grace);
    co_await runtime::await_on(strand, std::move(stopping));
}

}  // namespace lanyard::client

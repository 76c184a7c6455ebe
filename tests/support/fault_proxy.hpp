// FaultProxy: forwards TCP connections to a server, and breaks them as planned.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace lanyard::test {

/// The faults of one connection. Default: none.
struct Faults {
    /// How a connection breaks.
    enum class Break { close, reset, half_close, stall };

    std::chrono::milliseconds delay{0};  ///< before each piece is forwarded
    std::size_t piece = 64 * 1024;       ///< the most bytes forwarded at a time
    /// The number of bytes, of both directions together, after which it breaks.
    std::optional<std::size_t> breaks_after{};
    Break how = Break::close;
    int duplicates = 0;  ///< further connections to the server, on which nothing is sent
};

/// Runs on the io_context, which must be run by one thread. Must outlive the io_context's run().
class FaultProxy {
public:
    using Tcp = boost::asio::ip::tcp;
    /// Chooses the faults of each connection, counted from 0.
    using Plan = std::function<Faults(std::size_t connection)>;

    FaultProxy(boost::asio::io_context& context, Tcp::endpoint server, Plan plan)
        : context_(context),
          server_(std::move(server)),
          plan_(std::move(plan)),
          acceptor_(context, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
        boost::asio::co_spawn(context, accept_all(), boost::asio::detached);
    }

    unsigned short port() const { return acceptor_.local_endpoint().port(); }
    std::size_t accepted() const noexcept { return accepted_; }
    std::size_t broken() const noexcept { return broken_; }

    /// Breaks all open connections, and accepts no more.
    void stop() {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        for (auto const& connection : connections_) {
            if (auto const open = connection.lock()) open->close();
        }
    }

private:
    struct Connection {
        Connection(Tcp::socket from, boost::asio::io_context& context, Faults const& planned)
            : client(std::move(from)), server(context), faults(planned) {}

        void close() {
            boost::system::error_code ignored;
            client.close(ignored);
            server.close(ignored);
            for (auto& socket : idle) socket.close(ignored);
        }

        Tcp::socket client;
        Tcp::socket server;
        std::vector<Tcp::socket> idle;
        Faults faults;
        std::size_t passed = 0;
        bool broken = false;
    };
    using Shared = std::shared_ptr<Connection>;

    boost::asio::awaitable<void> accept_all() {
        for (;;) {
            boost::system::error_code failure;
            auto socket = co_await acceptor_.async_accept(
                boost::asio::redirect_error(boost::asio::use_awaitable, failure));
            if (failure) co_return;
            auto const faults = plan_(accepted_++);
            auto connection = std::make_shared<Connection>(std::move(socket), context_, faults);
            std::erase_if(connections_, [](auto const& held) { return held.expired(); });
            connections_.push_back(connection);
            boost::asio::co_spawn(context_, pass(std::move(connection)), boost::asio::detached);
        }
    }

    boost::asio::awaitable<void> pass(Shared connection) {
        boost::system::error_code failure;
        for (int i = 0; i < connection->faults.duplicates; ++i) {
            auto& idle = connection->idle.emplace_back(context_);
            co_await idle.async_connect(
                server_, boost::asio::redirect_error(boost::asio::use_awaitable, failure));
        }
        co_await connection->server.async_connect(
            server_, boost::asio::redirect_error(boost::asio::use_awaitable, failure));
        if (failure) {
            connection->close();
            co_return;
        }
        boost::asio::co_spawn(context_, pump(connection, connection->client, connection->server),
                              boost::asio::detached);
        boost::asio::co_spawn(context_, pump(connection, connection->server, connection->client),
                              boost::asio::detached);
    }

    boost::asio::awaitable<void> pump(Shared connection, Tcp::socket& from, Tcp::socket& to) {
        std::vector<char> buffer(connection->faults.piece);
        for (;;) {
            boost::system::error_code failure;
            auto count = co_await from.async_read_some(
                boost::asio::buffer(buffer),
                boost::asio::redirect_error(boost::asio::use_awaitable, failure));
            if (failure) break;
            if (connection->faults.delay.count() > 0) {
                boost::asio::steady_timer wait(context_, connection->faults.delay);
                co_await wait.async_wait(
                    boost::asio::redirect_error(boost::asio::use_awaitable, failure));
            }
            // Bytes sent into a broken connection are dropped.
            if (connection->broken) continue;
            auto const left = left_to_pass(*connection);
            bool const last = count >= left;
            if (last) count = left;
            connection->passed += count;
            co_await boost::asio::async_write(
                to, boost::asio::buffer(buffer.data(), count),
                boost::asio::redirect_error(boost::asio::use_awaitable, failure));
            if (failure || (last && break_off(*connection, to))) break;
        }
        connection->close();
    }

    static std::size_t left_to_pass(Connection const& connection) {
        if (!connection.faults.breaks_after) return SIZE_MAX;
        auto const limit = *connection.faults.breaks_after;
        return limit > connection.passed ? limit - connection.passed : 0;
    }

    /// Returns true if the connection must be closed now.
    bool break_off(Connection& connection, Tcp::socket& to) {
        ++broken_;
        connection.broken = true;
        boost::system::error_code ignored;
        boost::asio::socket_base::linger const without_delay(true, 0);
        switch (connection.faults.how) {
            case Faults::Break::close:
                return true;
            case Faults::Break::reset:
                connection.client.set_option(without_delay, ignored);
                connection.server.set_option(without_delay, ignored);
                return true;
            case Faults::Break::half_close:
                to.shutdown(Tcp::socket::shutdown_send, ignored);
                return false;
            case Faults::Break::stall:
                return false;
        }
        return true;
    }

    boost::asio::io_context& context_;
    Tcp::endpoint server_;
    Plan plan_;
    Tcp::acceptor acceptor_;
    std::vector<std::weak_ptr<Connection>> connections_;
    std::size_t accepted_ = 0;
    std::size_t broken_ = 0;
};

}  // namespace lanyard::test

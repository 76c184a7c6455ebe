// WebSocketWire: the in-memory stream that Beast uses instead of a socket, and the executor on
// which Beast schedules its functions. Private to WebSocketEngine.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/beast/core/buffer_traits.hpp>
#include <boost/beast/core/role.hpp>

namespace lanyard::http {

/// A function that Beast has scheduled on the executor.
class WebSocketStep {
public:
    virtual ~WebSocketStep() = default;
    virtual void run() = 0;
};

template <class Function>
class WebSocketFunctionStep final : public WebSocketStep {
public:
    explicit WebSocketFunctionStep(Function function) : function_(std::move(function)) {}
    void run() override { std::move(function_)(); }

private:
    Function function_;
};

/// A read operation of Beast that waits for bytes.
class WebSocketRead {
public:
    virtual ~WebSocketRead() = default;
    /// Completes the read with bytes from the front of `input`, and removes them. `input` is empty
    /// only if there is an error.
    virtual void complete(std::string_view& input, boost::system::error_code const& error) = 0;
};

template <class Buffers, class Handler>
class WebSocketReadOf final : public WebSocketRead {
public:
    WebSocketReadOf(Buffers const& buffers, Handler handler)
        : buffers_(buffers), handler_(std::move(handler)) {}

    void complete(std::string_view& input, boost::system::error_code const& error) override {
        auto const size =
            boost::asio::buffer_copy(buffers_, boost::asio::buffer(input.data(), input.size()));
        input.remove_prefix(size);
        std::move(handler_)(error, size);
    }

private:
    Buffers buffers_;
    Handler handler_;
};

/// The state of the in-memory stream, and the functions that Beast has scheduled.
struct WebSocketWire {
    explicit WebSocketWire(boost::asio::execution_context& where) : context(where) {}

    boost::asio::execution_context& context;
    std::deque<std::unique_ptr<WebSocketStep>> steps;
    std::unique_ptr<WebSocketRead> read;
    std::string_view input;
    bool input_ended = false;
    std::string output;
    std::size_t consumed = 0;

    /// Runs the scheduled functions until none is left. After that, Beast waits for input.
    void settle() {
        while (!steps.empty()) {
            auto const step = std::move(steps.front());
            steps.pop_front();
            step->run();
        }
    }

    /// Passes the input, or its end, to the pending read of Beast. Returns false if there is no
    /// input or no pending read.
    bool feed() {
        if (!read || (input.empty() && !input_ended)) return false;
        auto const pending = std::move(read);
        pending->complete(input, input.empty()
                                     ? boost::asio::error::make_error_code(boost::asio::error::eof)
                                     : boost::system::error_code());
        return true;
    }
};

/// The executor for Beast. It queues functions until the engine calls WebSocketWire::settle().
class WebSocketWireExecutor {
public:
    explicit WebSocketWireExecutor(WebSocketWire& wire) noexcept : wire_(&wire) {}

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
        return wire_->context;
    }
    static constexpr boost::asio::execution::blocking_t query(
        boost::asio::execution::blocking_t) noexcept {
        return boost::asio::execution::blocking_t::never_t();
    }
    WebSocketWireExecutor require(boost::asio::execution::blocking_t::never_t) const noexcept {
        return *this;
    }

    template <class Function>
    void execute(Function function) const {
        wire_->steps.push_back(
            std::make_unique<WebSocketFunctionStep<Function>>(std::move(function)));
    }

    bool operator==(WebSocketWireExecutor const&) const noexcept = default;

private:
    WebSocketWire* wire_;
};

/// The stream that Beast reads from and writes to.
class WebSocketWireStream {
public:
    using executor_type = WebSocketWireExecutor;

    explicit WebSocketWireStream(WebSocketWire& wire) noexcept : wire_(&wire) {}

    executor_type get_executor() const noexcept { return WebSocketWireExecutor(*wire_); }

    template <class Buffers, class Handler>
    auto async_read_some(Buffers const& buffers, Handler&& handler) {
        return boost::asio::async_initiate<Handler, void(boost::system::error_code, std::size_t)>(
            [wire = wire_](auto&& made, Buffers const& into) {
                using Made = std::decay_t<decltype(made)>;
                wire->read = std::make_unique<WebSocketReadOf<Buffers, Made>>(
                    into, std::forward<decltype(made)>(made));
            },
            handler, buffers);
    }

    template <class Buffers, class Handler>
    auto async_write_some(Buffers const& buffers, Handler&& handler) {
        return boost::asio::async_initiate<Handler, void(boost::system::error_code, std::size_t)>(
            [wire = wire_](auto&& made, Buffers const& from) {
                std::size_t size = 0;
                for (auto const buffer : boost::beast::buffers_range_ref(from)) {
                    wire->output.append(static_cast<char const*>(buffer.data()), buffer.size());
                    size += buffer.size();
                }
                WebSocketWireExecutor(*wire).execute(
                    [done = std::forward<decltype(made)>(made), size]() mutable {
                        std::move(done)(boost::system::error_code(), size);
                    });
            },
            handler, buffers);
    }

    /// Beast calls this to close the socket. Only completes the operation, because WebSocketLink
    /// owns the socket and closes it.
    template <class Handler>
    friend void async_teardown(boost::beast::role_type, WebSocketWireStream& stream,
                               Handler&& handler) {
        stream.get_executor().execute([done = std::forward<Handler>(handler)]() mutable {
            std::move(done)(boost::system::error_code());
        });
    }
    friend void beast_close_socket(WebSocketWireStream&) noexcept {}

private:
    WebSocketWire* wire_;
};

}  // namespace lanyard::http

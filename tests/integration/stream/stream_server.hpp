// StreamServer: a server with a few tools and a stream listener, on separate threads.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "lanyard/client/blocking.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/server/server.hpp"
#include "lanyard/transport/stream.hpp"

namespace lanyard::stream_test {

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, text)

class StreamServer {
public:
    explicit StreamServer(std::string const& url, StreamServerOptions options = {},
                          ServerOptions server_options = {})
        : server_("streams", "1", std::move(server_options)),
          listener_(listen(url, std::move(options))) {
        // Runs inline, so that answers are queued as soon as the client does not read.
        server_.tool(
            "echo", "Says it again", [](Text in) { return in.text; }, ToolOptions().inline_());
        server_.tool("who", "Says who asks, and how", [](Context& context) {
            return std::string(context.identity()) + " by " + std::string(context.transport());
        });
        ToolOptions blocking;
        blocking.blocking();
        server_.tool(
            "wait", "Returns once it may",
            [this](Context&) {
                waiting_.fetch_add(1);
                waiting_.notify_all();
                gate_.wait(false);
                return std::string("waited");
            },
            blocking);
        boost::asio::co_spawn(context_, server_.run_async(*listener_),
                              [this](std::exception_ptr failure) {
                                  EXPECT_FALSE(failure);
                                  ended_.set_value();
                              });
        thread_ = std::thread([this] { context_.run(); });
    }
    ~StreamServer() {
        open_gate();
        server_.stop(Duration(0));
        thread_.join();
    }
    StreamServer(StreamServer const&) = delete;
    StreamServer& operator=(StreamServer const&) = delete;

    Server& server() noexcept { return server_; }
    StreamListener& listener() noexcept { return *listener_; }
    std::string url() const { return listener_->url(); }

    /// Lets all calls of "wait" return.
    void open_gate() {
        gate_ = true;
        gate_.notify_all();
    }
    /// Returns once this many calls of "wait" have begun.
    void await_waiting(int count) {
        for (int now = waiting_; now < count; now = waiting_) waiting_.wait(now);
    }
    /// Returns once the listener has ended.
    void await_end() { ended_.get_future().wait(); }

private:
    std::atomic<bool> gate_ = false;
    std::atomic<int> waiting_ = 0;
    Server server_;
    std::unique_ptr<StreamListener> listener_;
    boost::asio::io_context context_;
    std::promise<void> ended_;
    std::thread thread_;
};

inline blocking::Client connect(std::string const& url, ClientOptions const& options = {},
                                StreamClientOptions const& stream = {}) {
    return blocking::connect(stream_connector(url, stream), options);
}

inline std::string echo(blocking::Client const& client, std::string const& text) {
    Text const text_to_echo{text};
    return client.call<std::string>("echo", text_to_echo);
}

/// Returns the error of connecting. Makes one attempt only: detecting the era would take more.
inline Error connect_error(std::string const& url, StreamClientOptions const& stream = {}) {
    try {
        ClientOptions options;
        options.versions({newest_legacy_version});
        connect(url, options, stream);
    } catch (Error const& error) {
        return error;
    }
    ADD_FAILURE() << "connected to " << url;
    return Error(Errc::failed, "");
}

/// Waits until the condition holds; the limit of 20 seconds only guards against hangs.
template <class Condition>
bool eventually(Condition const& holds) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace lanyard::stream_test

// TestServer: a listener on a separate thread, with a handler controlled by the request bodies.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "http/http_listener.hpp"
#include "http/message/sse_writer.hpp"

namespace lanyard::test {

/// Records what the handler has seen; thread-safe.
class Sightings {
public:
    void note(std::string what) {
        std::lock_guard const lock(mutex_);
        seen_.push_back(std::move(what));
        changed_.notify_all();
    }
    std::vector<std::string> all() const {
        std::lock_guard const lock(mutex_);
        return seen_;
    }
    /// Waits until the entry was seen this many times. Returns false after 20 seconds, which only
    /// guards against hangs.
    bool await(std::string const& what, std::size_t times = 1) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20), [&] {
            return static_cast<std::size_t>(std::count(seen_.begin(), seen_.end(), what)) >= times;
        });
    }

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<std::string> seen_;
};

/// The answer depends on the request:
///   body "wait"     nothing, until release() or the client disconnects
///   body "stream"   a stream that stays open (also GET); event() writes to all of them
///   body "flood"    a stream that writes as fast as possible and ignores behind()
///   body "polite"   likewise, but pauses while behind
///   body "whoami"   the principal
///   body "huge"     16 MiB
///   else            {"echo": the body's size}
class ScriptedHandler final : public http::RequestHandler {
public:
    explicit ScriptedHandler(Sightings& seen) : seen_(seen) {}
    ~ScriptedHandler() override { seen_.note("handler gone"); }

    void on_request(http::HttpRequest const& request, http::Reply& reply) override {
        std::string const body(request.body.substr(0, 20));
        seen_.note("request " + body);
        if (body == "wait") {
            open_.push_back(std::make_unique<Pending>(*this, reply, false));
        } else if (body == "stream" || request.head.method == http::Method::get) {
            reply.begin_stream({.content = http::Content::event_stream});
            reply.flush();
            open_.push_back(std::make_unique<Pending>(*this, reply, true));
        } else if (body == "flood" || body == "polite") {
            reply.begin_stream({.content = http::Content::event_stream});
            open_.push_back(std::make_unique<Pending>(*this, reply, true));
            open_.back()->polite = body == "polite";
        } else if (body == "whoami") {
            reply.whole({.content = http::Content::text},
                        request.principal ? request.principal->identity() : "nobody");
        } else if (body == "huge") {
            reply.whole({.content = http::Content::text}, std::string(16 << 20, 'x'));
        } else if (body == "throw") {
            throw std::runtime_error("handler");
        } else {
            reply.whole({.content = http::Content::json},
                        "{\"echo\":" + std::to_string(request.body.size()) + "}");
        }
    }

    void on_stop(Duration) noexcept override {
        seen_.note("stop");
        auto streams = std::vector<http::Reply*>();
        for (auto const& pending : open_) {
            if (pending->streaming) streams.push_back(&pending->reply);
        }
        std::erase_if(open_, [](auto const& pending) { return pending->streaming; });
        for (auto* const reply : streams) reply->finish();
    }

    void end_replies() noexcept override { seen_.note("end replies"); }

    /// Answers every request that waits.
    void release() {
        auto waiting = std::vector<http::Reply*>();
        for (auto const& pending : open_) {
            if (!pending->streaming) waiting.push_back(&pending->reply);
        }
        std::erase_if(open_, [](auto const& pending) { return !pending->streaming; });
        for (auto* const reply : waiting)
            reply->whole({.content = http::Content::text}, "released");
    }

    /// Writes an event to every stream that accepts it; returns the largest number of unsent bytes.
    std::size_t event(std::string const& data) {
        std::size_t most = 0;
        for (auto const& pending : open_) {
            if (!pending->streaming || (pending->polite && pending->reply.behind())) continue;
            http::append_event(pending->reply.begin_chunk(), {}, data);
            pending->reply.end_chunk();
            pending->reply.flush();
            most = std::max(most, pending->reply.unsent());
        }
        return most;
    }

    std::size_t open() const noexcept { return open_.size(); }

private:
    struct Pending final : http::ReplyWatcher {
        Pending(ScriptedHandler& handler, http::Reply& answered, bool stream)
            : owner(handler), reply(answered), streaming(stream) {
            reply.watch(this);
        }
        void on_gone() noexcept override {
            auto& handler = owner;
            std::erase_if(handler.open_, [this](auto const& other) { return other.get() == this; });
            handler.seen_.note("gone");
        }
        void on_drained() noexcept override { owner.seen_.note("drained"); }

        ScriptedHandler& owner;
        http::Reply& reply;
        bool streaming;
        bool polite = false;
    };

    Sightings& seen_;
    std::vector<std::unique_ptr<Pending>> open_;
};

struct NoEndpoint final : Endpoint {
    Task<> serve(std::unique_ptr<Transport>) override { co_return; }
};

class TestServer {
public:
    explicit TestServer(HttpServerOptions options = {},
                        std::string const& url = "http://127.0.0.1:0/mcp")
        : listener_(http::make_listener(url, std::move(options),
                                        [this](Endpoint&, boost::asio::any_io_executor const&,
                                               HttpServerOptions const&, http::LoopPlace const&) {
                                            auto handler = std::make_unique<ScriptedHandler>(seen);
                                            handler_ = handler.get();
                                            return handler;
                                        })) {
        boost::asio::co_spawn(
            context_, listener_->run(endpoint_),
            [this](std::exception_ptr failure) { seen.note(failure ? "failed" : "ended"); });
        thread_ = std::thread([this] { context_.run(); });
    }
    ~TestServer() {
        listener_->stop();
        if (!seen.await("ended")) std::abort();
        context_.stop();
        thread_.join();
    }

    std::uint16_t port() const noexcept { return listener_->port(); }
    UrlListener& listener() noexcept { return *listener_; }

    /// Calls the function with the handler on the server's thread.
    template <class F>
    auto with_handler(F function) {
        std::promise<decltype(function(std::declval<ScriptedHandler&>()))> done;
        boost::asio::post(context_, [&] {
            if constexpr (std::is_void_v<decltype(function(*handler_))>) {
                function(*handler_);
                done.set_value();
            } else {
                done.set_value(function(*handler_));
            }
        });
        return done.get_future().get();
    }
    /// Waits until everything that is posted now has run.
    void settle() {
        with_handler([](ScriptedHandler&) {});
    }

    Sightings seen;

private:
    boost::asio::io_context context_{1};
    NoEndpoint endpoint_;
    ScriptedHandler* handler_ = nullptr;
    std::unique_ptr<UrlListener> listener_;
    std::thread thread_;
};

}  // namespace lanyard::test

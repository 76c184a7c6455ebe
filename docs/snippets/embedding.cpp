// Snippets of docs/embedding.md: servers and clients in programs that have an event loop already.
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <lanyard/client.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>

namespace {

namespace asio = boost::asio;

// [loop]
// The event loop of a program: any thread may post work, and one thread runs it.
class Loop {
public:
    void post(std::function<void()> work) {
        std::lock_guard const lock(mutex_);
        queue_.push_back(std::move(work));
        wake_.notify_one();
    }
    void quit() {
        post([this] { ended_ = true; });
    }
    void run() {
        while (!ended_) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return !queue_.empty(); });
            auto const work = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            work();
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    bool ended_ = false;
};
// [/loop]

// An object that only the thread of the loop may use.
class Window {
public:
    void set_title(std::string title) {
        expect_owner();
        title_ = std::move(title);
    }
    std::string const& title() const {
        expect_owner();
        return title_;
    }
    bool ask(std::string const& /*question*/) const {
        expect_owner();
        return true;
    }

private:
    void expect_owner() const {
        if (std::this_thread::get_id() != owner_) std::abort();
    }
    std::thread::id owner_ = std::this_thread::get_id();
    std::string title_;
};

struct Title {
    std::string text;
};
LANYARD_STRUCT(Title, (text, "The new title"))

struct Confirm {
    bool really = false;
};
LANYARD_STRUCT(Confirm, (really, "Really?"))

// [window]
void add_tools(lanyard::Server& server, Window& window) {
    // Handlers run on the thread of the loop, so they may use the window without a lock.
    server.tool("set_title", "Change the title of the window",
                [&window](Title in) { window.set_title(std::move(in.text)); });
    server.tool("title", "Read the title of the window", [&window] { return window.title(); });
}
// [/window]

// [executor]
void serve_beside(Loop& loop, Window& window, std::unique_ptr<lanyard::Listener> listener) {
    lanyard::Server server{"editor", "1.0.0"};
    server.executor([&loop](std::function<void()> work) { loop.post(std::move(work)); });
    add_tools(server, window);

    std::thread connections([&server, &loop, &listener] {
        server.run(std::move(listener));  // also ends after SIGINT or SIGTERM
        loop.quit();
    });
    loop.run();
    server.stop();
    connections.join();
}
// [/executor]

// [thread]
// A server in the background of a program without an event loop.
class Background {
public:
    Background(lanyard::Server& server, std::unique_ptr<lanyard::Listener> listener)
        : server_(server), thread_([&server, held = std::move(listener)]() mutable {
              server.run(std::move(held));
          }) {}
    ~Background() {
        server_.stop();
        thread_.join();
    }
    Background(Background const&) = delete;
    Background& operator=(Background const&) = delete;

private:
    lanyard::Server& server_;
    std::thread thread_;
};
// [/thread]

// [signals]
void serve_with_own_signals(lanyard::Server& server, lanyard::Listener& listener) {
    asio::io_context context(1);
    asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&server](boost::system::error_code const& error, int) {
        if (!error) server.stop();
    });
    auto const ended = [&signals](std::exception_ptr const& failure) {
        signals.cancel();
        if (failure) std::rethrow_exception(failure);  // out of context.run()
    };
    asio::co_spawn(context, server.run_async(listener), ended);
    context.run();
}
// [/signals]

// [client]
// Calls a server without blocking the loop. The client must not be used on the loop's thread.
std::jthread call_later(Loop& loop, lanyard::blocking::Client client,
                        std::function<void(std::string)> show) {
    return std::jthread([&loop, client, show] {
        auto text = client.call<std::string>("title");
        loop.post([show, text = std::move(text)] { show(text); });
    });
}

// Questions of the server are shown in the window. The handler may block: it runs on a thread of
// the blocking client.
lanyard::ClientOptions asking(Loop& loop, Window& window) {
    lanyard::ClientOptions options;
    options.on_elicitation([&loop, &window](lanyard::ElicitFormParams const& form) {
        auto const answered = std::make_shared<std::promise<bool>>();
        auto future = answered->get_future();
        loop.post(
            [answered, &window, text = form.message] { answered->set_value(window.ask(text)); });
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::accept;
        answer.content = lanyard::JsonObject{{"really", future.get()}};
        return answer;
    });
    return options;
}
// [/client]

std::string url_of(lanyard::UrlListener const& listener) {
    return "tcp://127.0.0.1:" + std::to_string(listener.port());
}

bool works_beside_a_loop() {
    Loop loop;
    Window window;
    auto listener = lanyard::listen("tcp://127.0.0.1:0");
    auto const url = url_of(*listener);
    std::string shown;
    std::jthread caller;
    std::jthread const opener([&] {
        auto const client = lanyard::blocking::connect(url);
        Title const title{"draft"};
        client.call<void>("set_title", title);
        auto const show = [&](std::string const& text) {
            shown = text;
            loop.quit();
        };
        caller = call_later(loop, client, show);
    });
    serve_beside(loop, window, std::move(listener));
    return shown == "draft" && window.title() == "draft";
}

bool works_in_the_background() {
    Loop loop;
    Window window;
    lanyard::Server server{"asker", "1.0.0"};
    server.tool("sure", "", [](lanyard::Context& context) -> lanyard::Task<bool> {
        auto const sure = co_await context.elicit<Confirm>("sure", "Sure?");
        co_return sure && sure->really;
    });
    auto listener = lanyard::listen("tcp://127.0.0.1:0");
    auto const url = url_of(*listener);
    Background const background(server, std::move(listener));
    bool sure = false;
    std::jthread const caller([&] {
        auto const client = lanyard::blocking::connect(url, asking(loop, window));
        sure = client.call<bool>("sure");
        loop.quit();
    });
    loop.run();
    return sure;
}

bool works_with_own_signals() {
    lanyard::Server server{"signals", "1.0.0"};
    server.tool("stop", "", [] { std::raise(SIGTERM); }, lanyard::ToolOptions().inline_());
    auto const listener = lanyard::listen("tcp://127.0.0.1:0");
    std::jthread const caller([url = url_of(*listener)] {
        auto const client = lanyard::blocking::connect(url);
        client.call<void>("stop");
    });
    serve_with_own_signals(server, *listener);
    return true;
}

}  // namespace

int main() {
    bool const beside = works_beside_a_loop();
    bool const background = works_in_the_background();
    bool const signals = works_with_own_signals();
    std::cout << beside << background << signals << '\n';
    return beside && background && signals ? 0 : 1;
}

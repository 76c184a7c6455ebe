// Snippets of docs/threads.md. The program also checks the page's tables: it notes the thread on
// which each kind of user code runs.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <lanyard/client.hpp>
#include <lanyard/connect.hpp>
#include <lanyard/listen.hpp>
#include <lanyard/server.hpp>
#include <lanyard/time_source.hpp>

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Note {
    std::string name;
    std::string text;
};
LANYARD_STRUCT(Note, name, (text, defaulted))

struct Sure {
    bool really = false;
};
LANYARD_STRUCT(Sure, really)

// [shared]
// Handlers run at the same time, so the data they share has a mutex.
class Notes {
public:
    void set(Note note) {
        std::lock_guard const lock(mutex_);
        texts_.insert_or_assign(std::move(note.name), std::move(note.text));
    }
    std::optional<std::string> find(std::string const& name) const {
        std::lock_guard const lock(mutex_);
        auto const found = texts_.find(name);
        return found == texts_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> texts_;
};

void add_tools(lanyard::Server& server, Notes& notes) {
    server.tool("write", "Store a note", [&notes](Note in) { notes.set(std::move(in)); });
    server.tool("read", "Read a note", [&notes](Note in) {
        auto const text = notes.find(in.name);  // a copy: the lock is released here
        if (!text) throw lanyard::ToolError("there is no note \"" + in.name + "\"");
        return *text;
    });
}
// [/shared]

void write_file(std::string const& /*text*/) {
    std::this_thread::sleep_for(1ms);
}

// [blocking]
// A coroutine that uses the disk: the worker thread blocks, the coroutine does not.
lanyard::Task<std::string> save(Note in, lanyard::Context& context) {
    auto const sure = co_await context.elicit<Sure>("sure", "Overwrite " + in.name + "?");
    if (!sure || !sure->really) co_return "nothing was saved";
    auto const work = [&in] { write_file(in.text); };
    co_await context.run_blocking(work);
    co_return "saved";
}

// The same as a plain function: its thread blocks in both places.
std::string save_plainly(Note in, lanyard::Context& context) {
    auto const sure = context.wait(context.elicit<Sure>("sure", "Overwrite " + in.name + "?"));
    if (!sure || !sure->really) return "nothing was saved";
    write_file(in.text);
    return "saved";
}
// [/blocking]

// [any-thread]
// A thread of the program reports changes: all functions of Server may be called from any thread.
std::jthread watch(lanyard::Server& server, Notes& notes) {
    return std::jthread([&server, &notes](std::stop_token stop) {
        for (int i = 0; !stop.stop_requested(); ++i) {
            notes.set({"tick", std::to_string(i)});
            server.resource_updated("note:tick");
            std::this_thread::sleep_for(10ms);
        }
    });
}
// [/any-thread]

// An event loop on its own thread.
class Loop {
public:
    ~Loop() {
        work_.reset();
        thread_.join();
    }
    asio::io_context& context() { return context_; }
    std::thread::id thread() const { return thread_.get_id(); }

private:
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_ =
        asio::make_work_guard(context_);
    std::thread thread_{[this] { context_.run(); }};
};

// The threads on which user code has run.
class Seen {
public:
    void note(std::string const& what) {
        std::lock_guard const lock(mutex_);
        threads_[what] = std::this_thread::get_id();
    }
    std::thread::id of(std::string const& what) const {
        std::lock_guard const lock(mutex_);
        auto const found = threads_.find(what);
        return found == threads_.end() ? std::thread::id() : found->second;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::thread::id> threads_;
};

class Answers : public lanyard::Provider {
public:
    explicit Answers(Seen& seen) : seen_(seen) {}
    lanyard::Task<std::vector<lanyard::Tool>> list_tools(lanyard::Context&) override {
        std::vector<lanyard::Tool> tools(1);
        tools[0].name = "provided";
        tools[0].input_schema = lanyard::Json{{"type", "object"}};
        co_return tools;
    }
    lanyard::Task<std::optional<lanyard::CallToolResult>> call_tool(
        lanyard::CallToolParams const& params, lanyard::Context&) override {
        if (params.name != "provided") co_return std::nullopt;
        seen_.note("provider");
        co_return lanyard::CallToolResult::text("42");
    }

private:
    Seen& seen_;
};

class Tokens : public lanyard::Verifier {
public:
    explicit Tokens(Seen& seen) : seen_(seen) {}
    lanyard::Task<lanyard::Verification> verify(lanyard::Credentials const&) override {
        seen_.note("verifier");
        co_return lanyard::Verification::accept(
            std::make_shared<lanyard::Principal>(lanyard::Principal{"ada"}));
    }

private:
    Seen& seen_;
};

void add_probes(lanyard::Server& server, Seen& seen, bool wrapped) {
    auto const plain = [&seen](char const* name) { return [&seen, name] { seen.note(name); }; };
    server.tool("plain", "", plain("plain"));
    server.tool("blocking", "", plain("blocking"), lanyard::ToolOptions().blocking());
    server.tool("inline", "", plain("inline"), lanyard::ToolOptions().inline_());
    server.tool("coroutine", "", [&seen](lanyard::Context& context) -> lanyard::Task<> {
        seen.note("coroutine");
        auto const work = [&seen] { seen.note("run_blocking"); };
        co_await context.run_blocking(work);
        co_await lanyard::sleep_for(1ms);
        seen.note("after co_await");
        context.log(lanyard::LoggingLevel::info, "done");
        context.report_progress(1);
    });
    server.tool("ask", "", [](lanyard::Context& context) -> lanyard::Task<> {
        co_await context.elicit<Sure>("sure", "Sure?");
    });
    server.add_provider(std::make_shared<Answers>(seen));
    if (!wrapped) return;
    server.filter([&seen](lanyard::FeatureKind, std::string_view, lanyard::Context&) {
        seen.note("filter");
        return true;
    });
    server.use([&seen](lanyard::Context&, lanyard::Next next) -> lanyard::Task<lanyard::RawJson> {
        seen.note("middleware");
        auto result = co_await next();
        co_return result;
    });
}

bool failed = false;

void expect(bool holds, std::string const& what) {
    if (holds) return;
    std::cerr << "not as docs/threads.md says: " << what << '\n';
    failed = true;
}

void call_all(lanyard::blocking::Client const& client) {
    for (auto const* tool : {"plain", "blocking", "inline", "coroutine", "provided"}) {
        client.call_tool(tool);
    }
}

// A server on the event loop of the program; with or without an executor for its handlers.
void check_own_executor(bool wrapped, bool own_handler_loop) {
    Seen seen;
    Loop connections;
    Loop handlers;
    lanyard::Server server("probe", "1.0.0");
    add_probes(server, seen, wrapped);
    if (own_handler_loop) server.executor(handlers.context().get_executor());
    auto const listener =
        lanyard::listen("tcp://127.0.0.1:0",
                        lanyard::StreamServerOptions().verifier(std::make_shared<Tokens>(seen)));
    auto ended = std::make_shared<std::promise<void>>();
    asio::co_spawn(connections.context(), server.run_async(*listener),
                   [ended](std::exception_ptr const&) { ended->set_value(); });
    {
        lanyard::StreamClientOptions stream;
        stream.bearer_token("s3cret");
        auto const client =
            lanyard::blocking::connect("tcp://127.0.0.1:" + std::to_string(listener->port()),
                                       lanyard::ClientOptions(), stream);
        call_all(client);
        auto const here = connections.thread();
        expect(seen.of("verifier") == here, "a verifier runs on the listener's executor");
        std::vector<std::string> others{"coroutine", "after co_await", "provider"};
        if (wrapped) others.insert(others.end(), {"filter", "middleware"});
        auto const user = own_handler_loop ? handlers.thread() : here;
        for (auto const& what : others) expect(seen.of(what) == user, what);
        expect(seen.of("inline") == user, "inline_()");
        if (own_handler_loop) {
            for (auto const* what : {"plain", "blocking", "run_blocking"}) {
                expect(seen.of(what) == user, std::string(what) + " runs on the executor");
            }
        } else {
            expect(seen.of("plain") != here, "the first call of a plain function");
            expect(seen.of("blocking") != here, "blocking()");
            expect(seen.of("run_blocking") != here, "run_blocking");
            for (int i = 0; i < 1'000 && seen.of("plain") != here; ++i) client.call_tool("plain");
            expect(seen.of("plain") == here, "a plain function that has proven fast");
        }
    }
    server.stop(0s);
    ended->get_future().wait();
}

// run(): handlers run at the same time, and one that blocks delays only its own call.
void check_run() {
    lanyard::Server server("probe", "1.0.0");
    Seen seen;
    add_probes(server, seen, false);
    std::atomic<int> inside = 0;
    std::promise<void> release;
    auto const released = release.get_future().share();
    auto const block = [&inside, released] {
        ++inside;
        released.wait();
    };
    server.tool("plain_wait", "", block);
    server.tool("inline_wait", "", block, lanyard::ToolOptions().inline_());
    server.tool("task_wait", "", [block]() -> lanyard::Task<> {
        block();
        co_return;
    });
    auto listener = lanyard::listen("tcp://127.0.0.1:0");
    auto const url = "tcp://127.0.0.1:" + std::to_string(listener->port());
    std::thread serving([&] { server.run(std::move(listener)); });
    {
        auto const client = lanyard::blocking::connect(url);
        std::vector<std::jthread> calls;
        for (auto const* tool : {"plain_wait", "plain_wait", "inline_wait", "task_wait"}) {
            calls.emplace_back([&client, tool] { client.call_tool(tool); });
        }
        while (inside < 4) std::this_thread::sleep_for(1ms);
        call_all(client);  // served although four handlers block
        release.set_value();
    }
    server.stop(0s);
    serving.join();
}

lanyard::ClientOptions watching(Seen& seen) {
    lanyard::ClientOptions options;
    options.on_log([&seen](lanyard::LoggingMessageParams const&) { seen.note("on_log"); });
    options.on_progress([&seen](lanyard::ProgressParams const&) { seen.note("on_progress"); });
    options.on_elicitation([&seen](lanyard::ElicitFormParams const&) {
        seen.note("on_elicitation");
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::decline;
        return answer;
    });
    class Observer : public lanyard::ClientObserver {
    public:
        explicit Observer(Seen& seen) : seen_(seen) {}
        void on_request_started(Request const&) override { seen_.note("observer"); }

    private:
        Seen& seen_;
    };
    options.observer(std::make_shared<Observer>(seen));
    return options;
}

lanyard::Task<> use(std::string url, lanyard::ClientOptions options) {
    auto const client = co_await lanyard::connect(url, options);
    co_await client.call_tool("coroutine");
    co_await client.call_tool("ask");
    co_await client.stop();
}

void check_clients() {
    Seen of_server;
    lanyard::Server server("probe", "1.0.0");
    add_probes(server, of_server, false);
    auto listener = lanyard::listen("tcp://127.0.0.1:0");
    auto const url = "tcp://127.0.0.1:" + std::to_string(listener->port());
    std::thread serving([&] { server.run(std::move(listener)); });
    auto const handlers = {"on_log", "on_progress", "on_elicitation", "observer"};

    Seen seen;
    asio::io_context context(1);
    asio::co_spawn(context, use(url, watching(seen)),
                   [](std::exception_ptr const& failure) { expect(!failure, "the client works"); });
    context.run();
    for (auto const* what : handlers) {
        expect(seen.of(what) == std::this_thread::get_id(), std::string(what) + " of a coroutine");
    }

    Seen blocking;
    {
        auto const client = lanyard::blocking::connect(url, watching(blocking));
        client.call_tool("coroutine");
        client.call_tool("ask");
    }
    for (auto const* what : handlers) {
        auto const thread = blocking.of(what);
        expect(thread != std::thread::id() && thread != std::this_thread::get_id(),
               std::string(what) + " of a blocking client");
    }
    server.stop(0s);
    serving.join();
}

void check_notes() {
    Notes notes;
    lanyard::Server server("notes", "1.0.0");
    add_tools(server, notes);
    server.tool("save", "", save);
    server.tool("save_plainly", "", save_plainly);
    auto listener = lanyard::listen("tcp://127.0.0.1:0");
    auto const url = "tcp://127.0.0.1:" + std::to_string(listener->port());
    std::thread serving([&] { server.run(std::move(listener)); });
    {
        auto const ticking = watch(server, notes);
        lanyard::ClientOptions options;
        options.on_elicitation([](lanyard::ElicitFormParams const&) {
            lanyard::ElicitResult answer;
            answer.action = lanyard::ElicitAction::accept;
            answer.content = lanyard::JsonObject{{"really", true}};
            return answer;
        });
        auto const client = lanyard::blocking::connect(url, options);
        Note const note{"a", "b"};
        client.call<void>("write", note);
        expect(client.call<std::string>("read", note) == "b", "notes");
        expect(client.call<std::string>("save", note) == "saved", "save");
        expect(client.call<std::string>("save_plainly", note) == "saved", "save_plainly");
    }
    server.stop(0s);
    serving.join();
}

}  // namespace

int main() {
    check_notes();
    check_run();
    check_own_executor(false, false);
    check_own_executor(true, false);
    check_own_executor(false, true);
    check_own_executor(true, true);
    check_clients();
    return failed ? 1 : 0;
}

// `lanyard subscribe`: prints changes of resources.
#include <boost/asio/this_coro.hpp>

#include "lanyard/time_source.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection.hpp"
#include "operations.hpp"
#include "result_json.hpp"
#include "runtime/event.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

constexpr std::string_view usage =
    "lanyard subscribe TARGET URI..., or lanyard subscribe URI... -- COMMAND...";

struct SubscribeCommand {
    TargetOptions target;
    bool read = false;
    std::uint64_t count = 0;
};

/// If no change is reported for this time, the client sends a ping. Over HTTP, only a failed ping
/// shows that the server has ended.
constexpr Duration ping_interval = std::chrono::seconds(5);

/// The changes that have been reported and not yet printed, and the end of the connection.
class Changes {
public:
    void add(std::string uri) {
        waiting_.push_back(std::move(uri));
        wake();
    }

    void end(std::optional<Error> const& reason) {
        end_ = reason ? *reason : Error(Errc::closed, "the connection was closed");
        wake();
    }

    /// Returns the URI of the next change, or nullopt if there is none before the deadline. Throws
    /// Error when the connection has ended.
    Task<std::optional<std::string>> next_until(TimePoint deadline) {
        auto const executor = co_await boost::asio::this_coro::executor;
        // The event is part of this coroutine, because the event loop that the event uses ends
        // before this object.
        runtime::Event changed(executor);
        changed_ = &changed;
        struct Reset {
            runtime::Event** event;
            ~Reset() { *event = nullptr; }
        } const reset{&changed_};
        while (waiting_.empty()) {
            if (end_) throw Error(*end_);
            if (real_time().now() >= deadline) co_return std::nullopt;
            co_await changed.wait_until(real_time(), deadline);
        }
        auto uri = std::move(waiting_.front());
        waiting_.pop_front();
        co_return uri;
    }

private:
    void wake() {
        if (changed_ != nullptr) changed_->notify();
    }

    std::deque<std::string> waiting_;
    std::optional<Error> end_;
    runtime::Event* changed_ = nullptr;
};

Task<std::string> next_change(Client const& client, Changes& changes) {
    while (true) {
        auto uri = co_await changes.next_until(real_time().now() + ping_interval);
        if (uri) co_return *std::move(uri);
        co_await client.ping();
    }
}

Task<Exit> print_change(Client const& client, SubscribeCommand const& command,
                        Invocation const& invocation, std::string const& uri) {
    if (invocation.json) {
        JsonObject const change{{"uri", uri}};
        print_json(escaped_json(json::serialize(Json(change))), invocation);
    } else {
        std::cout << without_control_characters(uri) << '\n';
    }
    auto exit = Exit::ok;
    if (command.read) {
        try {
            exit = co_await read_resource(client, invocation, "", uri);
        } catch (Error const& error) {
            // If the resource was removed, reports the failure and continues to watch the other
            // resources.
            if (!error.peer_code()) throw;
            exit = report(failure_of(std::current_exception()), invocation.json);
        }
    }
    // Another program may read the output while this command runs, so each change is written at
    // once.
    std::cout.flush();
    if (!std::cout) throw Failure(Exit::usage, "the output cannot be written");
    co_return exit;
}

Task<Exit> subscribe(Client const& client, SubscribeCommand const& command,
                     Invocation const& invocation, std::vector<std::string> const& uris,
                     Changes& changes) {
    for (auto const& uri : uris) co_await client.subscribe(uri);
    if (!invocation.json) std::cerr << "subscribed; Ctrl-C ends\n";
    auto exit = Exit::ok;
    for (std::uint64_t seen = 0; command.count == 0 || seen < command.count; ++seen) {
        auto const uri = co_await next_change(client, changes);
        auto const outcome = co_await print_change(client, command, invocation, uri);
        if (outcome != Exit::ok) exit = outcome;
    }
    for (auto const& uri : uris) co_await client.unsubscribe(uri);
    co_return exit;
}

Exit run(SubscribeCommand const& command, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    if (words.empty()) usage_error("which resource? " + std::string(usage));
    Changes changes;
    ConnectionHooks hooks;
    hooks.configure = [&changes](ClientOptions& client) {
        client.on_resource_updated([&changes](std::string uri) { changes.add(std::move(uri)); });
        // Changes that happen while there is no connection would be missed, so a lost connection
        // is an error.
        client.reconnect(ReconnectOptions::off());
        client.on_closed([&changes](std::optional<Error> const& reason) { changes.end(reason); });
    };
    return with_server(
        connector_for(target, invocation, command.target), command.target,
        [&](Client const& client) {
            return subscribe(client, command, invocation, words, changes);
        },
        hooks);
}

}  // namespace

void declare_subscribe(CLI::App& app, Invocation& invocation) {
    auto command = std::make_shared<SubscribeCommand>();
    app.add_flag("--read", command->read, "Read the resource after each change and print it");
    app.add_option("--count", command->count, "End after this many changes")
        ->check(CLI::PositiveNumber);
    declare_target_options(app, command->target, invocation, "[TARGET] URI...");
    app.footer(std::string(usage) +
               ".\n"
               "Prints the URI of each resource that changes, one per line, until Ctrl-C.\n"
               "Examples:\n"
               "  lanyard subscribe http://127.0.0.1:8080/mcp demo://counter\n"
               "  lanyard subscribe files file:///log.txt --read --count 1");
    app.callback([command, &invocation] {
        invocation.exit = run(*command, invocation, command->target.words);
    });
}

}  // namespace lanyard::app

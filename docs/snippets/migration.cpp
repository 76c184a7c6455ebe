// Snippets of docs/migration.md. A client of each era tries the tool.
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <lanyard/client.hpp>
#include <lanyard/server.hpp>
#include <lanyard/transport/memory.hpp>

namespace {

int orders = 0;

std::string open_order() {
    return "order " + std::to_string(++orders);
}

struct Payment {
    bool agreed = false;
};
LANYARD_STRUCT(Payment, (agreed, "Pay now?"))

// [once]
lanyard::Task<std::string> buy(lanyard::Context& context) {
    auto const order = co_await context.once("order", open_order);
    auto const paid = co_await context.elicit<Payment>("pay", "Pay for " + order + "?");
    co_return paid && paid->agreed ? order + " is paid" : order + " is open";
}
// [/once]

// [versions]
lanyard::ServerOptions two_revisions() {
    lanyard::ServerOptions options;
    options.versions({lanyard::Version::v2025_11_25, lanyard::Version::v2026_07_28});
    return options;
}
// [/versions]

// [prefer]
lanyard::ClientOptions as_before() {
    lanyard::ClientOptions options;
    options.preferred_version(lanyard::Version::v2025_11_25);
    return options;
}
// [/prefer]

lanyard::Task<std::string> buy_with(lanyard::Server& server, lanyard::ClientOptions options) {
    options.on_elicitation([](lanyard::ElicitFormParams const&) {
        lanyard::ElicitResult answer;
        answer.action = lanyard::ElicitAction::accept;
        answer.content = lanyard::JsonObject{{"agreed", true}};
        return answer;
    });
    auto const executor = co_await boost::asio::this_coro::executor;
    auto [ours, theirs] = lanyard::memory_pair(executor, executor);
    boost::asio::co_spawn(executor, server.serve(std::move(theirs)), boost::asio::detached);
    auto const client = co_await lanyard::connect(std::move(ours), options);
    auto const answer = co_await client.call<std::string>("buy");
    auto const version = std::string(to_string(client.version()));
    co_await client.stop();
    co_return version + ": " + answer;
}

lanyard::Task<int> check(lanyard::Server& server) {
    auto const before = co_await buy_with(server, as_before());
    lanyard::ClientOptions const newest;
    auto const now = co_await buy_with(server, newest);
    bool const as_promised = before == "2025-11-25: order 1 is paid" &&
                             now == "2026-07-28: order 2 is paid" && orders == 2;
    co_return as_promised ? 0 : 1;
}

}  // namespace

int main() {
    lanyard::Server server("shop", "1.0.0", two_revisions());
    server.tool("buy", "Buy something", buy);
    return lanyard::run(check(server));
}

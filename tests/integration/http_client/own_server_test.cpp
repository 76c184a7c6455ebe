// Our client and our server, over every kind of HTTP transport that the server supports.
#include <algorithm>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http_client/client_harness.hpp"
#include "lanyard/http/listen.hpp"
#include "lanyard/server.hpp"

namespace lanyard::http_client_test {
namespace {

using ::testing::ElementsAre;

struct Count {
    int to = 0;
};
LANYARD_STRUCT(Count, to)

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, name)

struct Setting {
    char const* name;
    McpHttpOptions options;
    std::vector<Version> versions;
    char const* path = "/mcp";
    bool asks = true;     ///< the server can ask the client
    bool streams = true;  ///< the server can report progress
};

void PrintTo(Setting const& setting, std::ostream* out) {
    *out << setting.name;
}

class OwnServer : public HttpClientTest, public ::testing::WithParamInterface<Setting> {
protected:
    OwnServer() : server_("own", "1") {
        server_.tool("greet", "Asks who it is", [](Context& context) -> Task<std::string> {
            auto const answer = co_await context.elicit<Name>("who", "Who are you?");
            co_return "Hello, " + (answer ? answer->name : std::string("nobody"));
        });
        server_.tool("count", "Counts", [](Count in, Context& context) -> Task<std::string> {
            for (int i = 1; i <= in.to; ++i) {
                context.report_progress(i, in.to, "counted");
                co_await context.yield();
            }
            co_return "counted to " + std::to_string(in.to);
        });
        server_.tool("echo", "Returns the name", [](Name in) { return std::move(in.name); });
        HttpServerOptions options;
        options.mcp(GetParam().options);
        listener_ = listen("http://127.0.0.1:0/mcp", options);
        boost::asio::co_spawn(serving_, server_.run_async(*listener_), [](std::exception_ptr) {});
        thread_ = std::thread([this] { serving_.run(); });
        ClientOptions client_options;
        client_options.versions(GetParam().versions);
        client_options.on_elicitation([](ElicitFormParams const&) {
            ElicitResult result;
            result.action = ElicitAction::accept;
            result.content = JsonObject{{"name", "Ada"}};
            return result;
        });
        connect("http://127.0.0.1:" + std::to_string(listener_->port()) + GetParam().path,
                client_options);
    }
    ~OwnServer() override {
        stop();
        listener_->stop();
        thread_.join();
    }

    Server server_;
    std::unique_ptr<UrlListener> listener_;
    boost::asio::io_context serving_;
    std::thread thread_;
};

TEST_P(OwnServer, lists_and_calls) {
    EXPECT_EQ(client.version(), GetParam().versions.back());
    EXPECT_EQ(await(client.list_tools()).size(), 3U);
    Count const three{3};
    EXPECT_EQ(await(client.call<std::string>("count", three)), "counted to 3");
}

TEST_P(OwnServer, accepts_and_returns_large_texts) {
    for (std::size_t const size : {60'000U, 200'000U, 1'000'000U}) {
        Name const large{std::string(size, 'x')};
        EXPECT_EQ(await(client.call<std::string>("echo", large)), large.name) << size;
    }
}

TEST_P(OwnServer, reports_progress_on_the_stream_of_the_call) {
    std::vector<double> steps;
    Count const three{3};
    auto const options = CallOptions().on_progress(
        [&](ProgressParams const& step) { steps.push_back(step.progress); });
    EXPECT_EQ(await(client.call<std::string>("count", three, options)), "counted to 3");
    // The last step is always reported; without a stream, no step can be reported.
    EXPECT_EQ(steps.empty() ? 0 : steps.back(), GetParam().streams ? 3 : 0);
}

TEST_P(OwnServer, elicits_from_the_user) {
    auto const greeting = attempt(client.call<std::string>("greet"));
    // If the server cannot ask, the call fails.
    EXPECT_EQ(greeting ? *greeting : "", GetParam().asks ? "Hello, Ada" : "");
}

TEST_P(OwnServer, each_of_two_calls_answers_its_own_questions) {
    if (!GetParam().asks) return;
    std::size_t asked = 0;
    std::vector<std::string> greetings;
    auto const greet = [&](std::string name) {
        CallOptions options;
        options.on_elicitation([&asked, name](ElicitFormParams) -> Task<ElicitResult> {
            ++asked;
            // Both questions are open at the same time.
            while (asked < 2) co_await boost::asio::post(boost::asio::use_awaitable);
            ElicitResult result;
            result.action = ElicitAction::accept;
            result.content = JsonObject{{"name", name}};
            co_return result;
        });
        boost::asio::co_spawn(context, client.call<std::string>("greet", options),
                              [&](std::exception_ptr failure, std::string greeting) {
                                  EXPECT_FALSE(failure);
                                  greetings.push_back(std::move(greeting));
                              });
    };
    bool const separate = GetParam().path == std::string_view("/mcp");
    if (!separate) asked = 2;
    greet("Grace");
    greet("Joan");
    EXPECT_TRUE(run_until([&] { return greetings.size() == 2; }));
    std::ranges::sort(greetings);
    // In HTTP+SSE all questions arrive on one stream, so the client's own handler answers.
    if (separate) {
        EXPECT_THAT(greetings, ElementsAre("Hello, Grace", "Hello, Joan"));
    } else {
        EXPECT_THAT(greetings, ElementsAre("Hello, Ada", "Hello, Ada"));
    }
}

TEST_P(OwnServer, answers_many_calls_at_a_time) {
    std::vector<CallToolParams> calls(60);
    for (auto& each : calls) {
        each.name = "count";
        each.arguments = RawJson::trusted(R"({"to":1})");
    }
    for (auto const& outcome : await(client.call_all(calls))) {
        ASSERT_TRUE(outcome) << outcome.error().what();
    }
}

TEST_P(OwnServer, refuses_unknown_names) {
    auto const outcome = attempt(client.request("no/such/method"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().peer_code(), -32601) << outcome.error().what();
    EXPECT_TRUE(client.is_open());
}

std::vector<Setting> settings() {
    std::vector<Version> const modern{Version::v2026_07_28};
    std::vector<Version> const newest{Version::v2025_11_25};
    std::vector<Setting> all;
    all.push_back({"modern", {}, modern});
    all.push_back(
        {"modern_json", McpHttpOptions().answers(HttpAnswers::json), modern, "/mcp", true, false});
    all.push_back({"modern_stream", McpHttpOptions().answers(HttpAnswers::stream), modern});
    all.push_back({"stateful", {}, newest});
    all.push_back({"stateful_2025_06_18", {}, {Version::v2025_06_18}});
    all.push_back({"stateful_2025_03_26", {}, {Version::v2025_03_26}});
    all.push_back({"stateful_stream", McpHttpOptions().answers(HttpAnswers::stream), newest});
    all.push_back({"stateful_json", McpHttpOptions().answers(HttpAnswers::json), newest, "/mcp",
                   false, false});
    all.push_back(
        {"stateless", McpHttpOptions().sessions(Sessions::stateless), newest, "/mcp", false});
    all.push_back({"hybrid", McpHttpOptions().sessions(Sessions::hybrid), newest});
    all.push_back({"events", McpHttpOptions().sse(), {Version::v2024_11_05}, "/sse"});
    return all;
}

INSTANTIATE_TEST_SUITE_P(With, OwnServer, ::testing::ValuesIn(settings()),
                         [](auto const& info) { return info.param.name; });

}  // namespace
}  // namespace lanyard::http_client_test

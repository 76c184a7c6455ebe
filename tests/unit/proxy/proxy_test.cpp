// Features of another server through a proxy: lists, calls, progress, cancellation and errors.
#include "proxy_fixture.hpp"

namespace lanyard {
namespace {

struct Sum {
    int a = 0;
    int b = 0;
};
LANYARD_STRUCT(Sum, a, b)

struct Total {
    int total = 0;
};
LANYARD_STRUCT(Total, total)

class Proxy : public ProxyTest {
protected:
    Proxy() {
        upstream.tool("add", "Adds", [this](Sum in) -> Task<Total> {
            ++calls;
            Total const total{in.a + in.b};
            co_return total;
        });
        upstream.tool("count", "Counts", [](Context& asked) -> Task<std::string> {
            for (int i = 1; i <= 3; ++i) {
                asked.report_progress(i, 3, "step " + std::to_string(i));
                co_await asked.yield();
            }
            co_return "counted";
        });
        upstream.tool("hang", "Waits", [this](Context&) -> Task<std::string> {
            hanging = true;
            struct Notes {
                bool& running;
                ~Notes() { running = false; }
            } const notes{hanging};
            co_await sleep_until(time, time.now() + 1h);
            co_return "late";
        });
        upstream.tool("refuse", "Refuses", [](Context&) -> Task<std::string> {
            throw Refusal(RefusalReason::permission, "not for you", R"({"who":"you"})");
            co_return "";
        });
        upstream.tool("break", "Fails", [](Context&) -> Task<std::string> {
            throw ToolError("try again tomorrow");
            co_return "";
        });
        upstream.tool("meta", "Returns its _meta", [](Context& asked) -> Task<CallToolResult> {
            CallToolResult result;
            result.content.emplace_back(
                TextContent{boost::json::serialize(asked.meta().members())});
            result.meta.members()["acme/answer"] = 42;
            result.meta.members()["io.modelcontextprotocol/related-task"] = "x";
            result.extra["acme"] = "kept";
            co_return result;
        });
        upstream.resource("memo://1", "A memo",
                          []() -> Task<std::string> { co_return "remember"; });
        upstream.resource_template("memo://{id}/copy", "A copy",
                                   [](UriVariables const& variables) -> Task<std::string> {
                                       co_return "copy of " + *variables.string("id");
                                   });
        upstream.prompt("greet", "Greets", []() -> Task<std::string> { co_return "hello"; });
    }

    std::vector<std::string> tool_names() {
        std::vector<std::string> names;
        for (auto const& tool : start(client.list_tools()).value()) names.push_back(tool.name);
        std::ranges::sort(names);
        return names;
    }

    int calls = 0;
    bool hanging = false;
};

TEST_P(Proxy, passes_on_subscriptions_to_resources) {
    std::vector<std::string> changed;
    ClientOptions options;
    options.on_resource_updated([&changed](std::string const& uri) { changed.push_back(uri); });
    open(std::move(options));
    start(client.subscribe("memo://1")).value();
    poll();
    upstream.resource_updated("memo://1");
    poll();
    EXPECT_EQ(changed, std::vector<std::string>{"memo://1"});
    start(client.unsubscribe("memo://1")).value();
    poll();
    advance(1s);
    upstream.resource_updated("memo://1");
    poll();
    EXPECT_EQ(changed.size(), 1U);
}

TEST_P(Proxy, declares_subscriptions_only_if_the_other_server_has_them) {
    open();
    EXPECT_TRUE(client.server_capabilities().resources->subscribe);
    Server without("without", "1", options().resources_subscribe(false));
    without.resource("memo://1", "A memo", "remember");
    auto other = start(testing::connect(without, GetParam().upstream, timed())).value();
    Server proxy("proxy", "1", options());
    proxy.add_provider(proxy_provider(other));
    auto user = start(testing::connect(proxy, GetParam().client, timed())).value();
    EXPECT_FALSE(user.server_capabilities().resources->subscribe);
    user = Client();
    other = Client();
    poll();
}

TEST_P(Proxy, an_unreachable_server_is_an_error_and_not_an_empty_list) {
    open();
    proxied.close();
    poll();
    EXPECT_FALSE(start(attempt(client.list_tools())).value());
    EXPECT_FALSE(start(attempt(client.list_prompts())).value());
    server.tool("own", "Of the proxy", []() -> Task<std::string> { co_return "own"; });
    EXPECT_EQ(tool_names(), std::vector<std::string>{"own"});
}

TEST_P(Proxy, lists_are_those_of_the_other_server) {
    open();
    auto const tools = start(client.list_tools()).value();
    EXPECT_EQ(tools.size(), 6U);
    EXPECT_EQ(tools, start(proxied.list_tools()).value());
    EXPECT_EQ(start(client.list_resources()).value(), start(proxied.list_resources()).value());
    EXPECT_EQ(start(client.list_resource_templates()).value().size(), 1U);
    EXPECT_EQ(start(client.list_prompts()).value(), start(proxied.list_prompts()).value());
}

TEST_P(Proxy, calls_return_structured_content) {
    open();
    Sum const sum{40, 2};
    EXPECT_EQ(start(client.call<Total>("add", sum)).value().total, 42);
    EXPECT_EQ(calls, 1);
}

TEST_P(Proxy, resources_and_prompts_are_read) {
    open();
    auto const memo = start(client.read_resource("memo://1")).value();
    EXPECT_EQ(std::get<TextResourceContents>(memo.contents.at(0)).text, "remember");
    auto const prompt = start(client.get_prompt("greet")).value();
    EXPECT_EQ(std::get<TextContent>(prompt.messages.at(0).content).text, "hello");
}

TEST_P(Proxy, metadata_of_a_connection_is_not_passed_on) {
    open();
    Meta meta;
    meta.members()["acme/question"] = "why";
    CallOptions options;
    options.meta(meta).on_progress([](ProgressParams const&) {});
    auto const result = start(client.call_tool("meta", options)).value();
    auto const seen = json_of(text_of(result)).as_object();
    EXPECT_EQ(seen.at("acme/question"), "why");
    // The progress token, if the proxy asks for progress, is the proxy's own.
    EXPECT_EQ(seen.size(), 2U) << text_of(result);
    EXPECT_TRUE(seen.contains("progressToken"));
    EXPECT_EQ(result.meta.members().at("acme/answer"), 42);
    EXPECT_FALSE(result.meta.members().contains("io.modelcontextprotocol/related-task"));
    EXPECT_EQ(result.extra.at("acme"), "kept");
    auto const silent = start(client.call_tool("meta")).value();
    EXPECT_EQ(text_of(silent), "{}");
}

TEST_P(Proxy, progress_is_passed_on) {
    open();
    std::vector<std::string> steps;
    CallOptions options;
    options.on_progress([&](ProgressParams const& progress) {
        EXPECT_EQ(progress.total, 3);
        steps.push_back(progress.message);
    });
    EXPECT_EQ(start(client.call<std::string>("count", options)).value(), "counted");
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.back(), "step 3");
}

TEST_P(Proxy, cancellation_is_passed_on) {
    open();
    auto calling = start(client.call_tool("hang"));
    EXPECT_TRUE(hanging);
    calling.cancel();
    poll();
    EXPECT_FALSE(hanging);
    EXPECT_TRUE(calling.error().is(Errc::cancelled));
}

TEST_P(Proxy, a_call_that_takes_longer_than_the_timeout_of_the_proxy_is_cancelled) {
    open({}, ProxyOptions().timeout(1min));
    auto calling = start(client.call_tool("hang", CallOptions().timeout(30min)));
    EXPECT_TRUE(hanging);
    advance(1min - 1ns);
    EXPECT_TRUE(hanging);
    advance(1ns);
    EXPECT_FALSE(hanging);
    EXPECT_TRUE(calling.done());
}

TEST_P(Proxy, errors_are_passed_on_unchanged) {
    open();
    auto const refused = start(client.call_tool("refuse")).error();
    EXPECT_EQ(refused.peer_code(), 1005);
    EXPECT_EQ(refused.message(), "not for you");
    EXPECT_EQ(json_of(refused.data()), json_of(R"({"who":"you"})"));
    auto const failed = start(client.call_tool("break")).value();
    EXPECT_TRUE(failed.is_error);
    EXPECT_EQ(text_of(failed), "try again tomorrow");
    auto const direct = start(proxied.call_tool("add", {{"a", "x"}})).value();
    auto const passed = start(client.call_tool("add", {{"a", "x"}})).value();
    EXPECT_TRUE(passed.is_error);
    EXPECT_EQ(passed.content, direct.content);
}

TEST_P(Proxy, unknown_features_do_not_exist) {
    open();
    EXPECT_EQ(start(client.call_tool("nothing")).error().peer_code(), -32602);
    EXPECT_TRUE(start(client.read_resource("memo://none")).error().peer_code().has_value());
    EXPECT_EQ(start(client.get_prompt("nothing")).error().peer_code(), -32602);
}

TEST_P(Proxy, a_prefix_distinguishes_servers) {
    open({}, ProxyOptions().prefix("up_"));
    server.tool("add", "Its own", []() -> Task<std::string> { co_return "own"; });
    auto const names = tool_names();
    EXPECT_TRUE(std::ranges::count(names, "up_count") == 1);
    EXPECT_TRUE(std::ranges::count(names, "add") == 1);
    Sum const sum{40, 2};
    EXPECT_EQ(start(client.call<Total>("up_add", sum)).value().total, 42);
    EXPECT_EQ(start(client.call<std::string>("add")).value(), "own");
    EXPECT_TRUE(start(client.call_tool("count")).error().peer_code().has_value());
    EXPECT_TRUE(start(client.get_prompt("up_greet")).done());
    EXPECT_EQ(start(client.list_prompts()).value().at(0).name, "up_greet");
    EXPECT_THROW(proxy_provider(proxied, ProxyOptions().prefix("a b")), Error);
}

TEST_P(Proxy, changed_lists_are_announced) {
    std::vector<ListKind> changed;
    ClientOptions client_options;
    client_options.on_list_changed([&](ListKind kind) { changed.push_back(kind); });
    open(client_options);
    poll();
    EXPECT_EQ(tool_names().size(), 6U);
    upstream.tool("late", "Comes later", []() -> Task<std::string> { co_return "late"; });
    poll();
    advance(1s);
    EXPECT_EQ(changed, std::vector{ListKind::tools});
    EXPECT_EQ(tool_names().size(), 7U);
    EXPECT_EQ(start(client.call<std::string>("late")).value(), "late");
}

TEST_P(Proxy, completion_is_passed_on) {
    upstream.complete_template("memo://{id}/copy", "id",
                               [](std::string const& value) -> Task<std::vector<std::string>> {
                                   std::vector<std::string> values{value + "1", value + "2"};
                                   co_return values;
                               });
    open();
    auto const completion = start(client.complete_resource("memo://{id}/copy", "id", "x")).value();
    EXPECT_EQ(completion.values, (std::vector<std::string>{"x1", "x2"}));
}

TEST_P(Proxy, a_lost_server_is_an_error_of_the_call) {
    open();
    EXPECT_EQ(tool_names().size(), 6U);
    proxied.close();
    poll();
    auto calling = start(client.call_tool("add"));
    EXPECT_TRUE(calling.done());
}

INSTANTIATE_TEST_SUITE_P(Eras, Proxy, all_eras(), name_of_eras);

}  // namespace
}  // namespace lanyard

// The capabilities that a server declares: options, details, and reports of changes.
#include <future>
#include <thread>

#include "raw_client.hpp"

namespace lanyard::server {
namespace {

class CapabilitiesTest : public ::testing::Test {
protected:
    void serve(ServerOptions options) {
        server.emplace("s", "1", options.time(time).on_log([](auto, auto) {}));
        client.emplace(context, *server);
    }
    ~CapabilitiesTest() override {
        if (!client) return;
        client->close();
        client->poll();
    }
    Json declared() { return at(client->initialize(), "result", "capabilities"); }
    std::string method_of_next() {
        client->poll();
        auto const method = at(client->next_json(), "method");
        return method.is_string() ? std::string(method.as_string()) : "none";
    }
    /// The answer to this request in the revision without a handshake.
    Json ask_modern(std::string_view method, std::string_view params) {
        RawClient modern(context, *server);
        auto const answer =
            modern.ask(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                       R"(","params":{)" + std::string(params) + RawClient::meta() + "}}");
        modern.close();
        modern.poll();
        return answer;
    }

    testing::FakeTime time;
    std::optional<Server> server;
    boost::asio::io_context context;
    std::optional<RawClient> client;
};

TEST_F(CapabilitiesTest, nothing_is_declared_by_default_without_a_feature) {
    serve(ServerOptions());
    EXPECT_EQ(json::serialize(declared()), R"({"logging":{}})");
}

TEST_F(CapabilitiesTest, features_may_be_declared_before_the_first_is_registered) {
    serve(ServerOptions()
              .declare_tools(true)
              .declare_resources(true)
              .declare_prompts(true)
              .declare_completions(true));
    auto const now = declared();
    EXPECT_EQ(at(now, "tools", "listChanged"), true);
    EXPECT_EQ(at(now, "prompts", "listChanged"), true);
    EXPECT_EQ(at(now, "resources", "listChanged"), true);
    EXPECT_EQ(at(now, "resources", "subscribe"), true);
    EXPECT_TRUE(at(now, "completions").is_object());
    auto const list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    EXPECT_EQ(at(client->ask(list), "result", "tools"), JsonArray());
    server->tool("late", "", [] {});
    EXPECT_EQ(method_of_next(), "notifications/tools/list_changed");
    EXPECT_EQ(at(client->ask(list), "result", "tools", 0, "name"), "late");
}

TEST_F(CapabilitiesTest, each_declaration_is_an_option_of_its_own) {
    auto const only = [](ServerOptions const& options) {
        Server const one("s", "1", options);
        std::string names;
        for (auto const* name : {"tools", "resources", "prompts", "completions"}) {
            if (one.capability(name)) names += std::string(name) + " ";
        }
        return names;
    };
    EXPECT_EQ(only(ServerOptions().declare_tools(true)), "tools ");
    EXPECT_EQ(only(ServerOptions().declare_resources(true)), "resources ");
    EXPECT_EQ(only(ServerOptions().declare_prompts(true)), "prompts ");
    EXPECT_EQ(only(ServerOptions().declare_completions(true)), "completions ");
}

TEST_F(CapabilitiesTest, notifications_of_changed_lists_can_be_switched_off) {
    serve(ServerOptions()
              .declare_tools(true)
              .declare_resources(true)
              .declare_prompts(true)
              .tools_list_changed(false)
              .resources_list_changed(false));
    auto const now = declared();
    EXPECT_TRUE(at(now, "tools", "listChanged").is_null());
    EXPECT_TRUE(at(now, "resources", "listChanged").is_null());
    EXPECT_EQ(at(now, "prompts", "listChanged"), true);
    server->tool("t", "", [] {});
    server->resource("a:b", "r", "text");
    server->prompt("p", "", [](Context&) { return "text"; });
    EXPECT_EQ(method_of_next(), "notifications/prompts/list_changed");
    EXPECT_EQ(method_of_next(), "none");
    auto const opened = ask_modern(
        "subscriptions/listen",
        R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true},)");
    EXPECT_EQ(json::serialize(at(opened, "params", "notifications")),
              R"({"promptsListChanged":true})");
}

TEST_F(CapabilitiesTest, notifications_of_changed_prompts_can_be_switched_off) {
    serve(ServerOptions().declare_prompts(true).prompts_list_changed(false));
    EXPECT_TRUE(at(declared(), "prompts", "listChanged").is_null());
    server->prompt("p", "", [](Context&) { return "text"; });
    EXPECT_EQ(method_of_next(), "none");
}

TEST_F(CapabilitiesTest, subscriptions_to_resources_can_be_switched_off) {
    serve(ServerOptions().resources_subscribe(false));
    server->resource("a:b", "r", "text");
    auto const now = declared();
    EXPECT_TRUE(at(now, "resources", "subscribe").is_null());
    EXPECT_EQ(at(now, "resources", "listChanged"), true);
    auto const refused = client->ask(
        R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}})");
    EXPECT_EQ(at(refused, "error", "code"), -32601) << json::serialize(refused);
    auto const opened = ask_modern(
        "subscriptions/listen",
        R"("notifications":{"resourcesListChanged":true,"resourceSubscriptions":["a:b"]},)");
    EXPECT_EQ(json::serialize(at(opened, "params", "notifications")),
              R"({"resourcesListChanged":true})");
}

TEST_F(CapabilitiesTest, experimental_capabilities_and_extensions_have_details) {
    serve(ServerOptions());
    server->experimental("tracing", CapabilityDetails()
                                        .version("1.2")
                                        .description("Spans of calls")
                                        .depends_on("logging")
                                        .depends_on("tools"));
    JsonObject settings;
    settings["level"] = 3;
    server->extension("com.example/audit", CapabilityDetails(settings).version("2"));
    server->experimental("plain", settings);
    auto const now = declared();
    EXPECT_EQ(
        json::serialize(at(now, "experimental", "tracing")),
        R"({"version":"1.2","description":"Spans of calls","dependencies":["logging","tools"]})");
    EXPECT_EQ(json::serialize(at(now, "experimental", "plain")), R"({"level":3})");
    EXPECT_EQ(json::serialize(server->capabilities().extensions),
              R"({"com.example/audit":{"level":3,"version":"2"}})");
}

TEST_F(CapabilitiesTest, changes_are_reported_once) {
    serve(ServerOptions());
    std::vector<std::string> reports;
    server->on_capabilities_changed([&](ServerCapabilities const& now) {
        reports.push_back(std::string(now.tools ? "tools " : "") +
                          (now.resources ? "resources " : "") + (now.prompts ? "prompts " : "") +
                          (now.completions ? "completions " : "") +
                          (now.experimental.contains("x") ? "x" : ""));
    });
    server->tool("a", "", [] {});
    EXPECT_EQ(reports, std::vector<std::string>{"tools "});
    server->tool("b", "", [] {});
    EXPECT_EQ(reports.size(), 1U) << "the capabilities are the same";
    server->resource("a:b", "r", "text");
    server->prompt("p", "", [](Context&) { return "text"; });
    server->experimental("x");
    EXPECT_EQ(reports.back(), "tools resources prompts x");
    EXPECT_EQ(reports.size(), 4U);
    server->remove_tool("a");
    EXPECT_EQ(reports.size(), 4U);
    server->remove_tool("b");
    server->remove_resource("a:b");
    server->remove_prompt("p");
    EXPECT_EQ(reports.back(), "x");
    EXPECT_EQ(reports.size(), 7U);
}

TEST_F(CapabilitiesTest, a_report_may_cause_another_change) {
    serve(ServerOptions());
    std::vector<bool> reports;
    server->on_capabilities_changed([&](ServerCapabilities const& now) {
        reports.push_back(now.prompts.has_value());
        if (!now.prompts) server->prompt("p", "", [](Context&) { return "text"; });
    });
    server->tool("a", "", [] {});
    EXPECT_EQ(reports, (std::vector<bool>{false, true}));
}

TEST_F(CapabilitiesTest, a_report_that_fails_does_not_prevent_the_next) {
    serve(ServerOptions());
    int reports = 0;
    server->on_capabilities_changed([&](ServerCapabilities const&) {
        if (++reports == 1) throw std::runtime_error("no");
    });
    EXPECT_THROW(server->tool("a", "", [] {}), std::runtime_error);
    server->prompt("p", "", [](Context&) { return "text"; });
    EXPECT_EQ(reports, 2);
}

TEST_F(CapabilitiesTest, concurrent_changes_are_reported_one_after_the_other) {
    serve(ServerOptions());
    std::promise<void> started;
    std::promise<void> release;
    auto released = release.get_future();
    std::vector<bool> reports;  // whether the prompt was there
    server->on_capabilities_changed([&](ServerCapabilities const& now) {
        reports.push_back(now.prompts.has_value());
        if (reports.size() > 1) return;
        started.set_value();
        released.wait();
    });
    std::jthread other([&] { server->tool("a", "", [] {}); });
    started.get_future().wait();
    // Does not wait: the other thread reports this change, too.
    server->prompt("p", "", [](Context&) { return "text"; });
    release.set_value();
    other.join();
    EXPECT_EQ(reports, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace lanyard::server

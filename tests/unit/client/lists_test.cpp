// Lists: pages, iterators, caching, and the output schemas taken from them.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

std::string tool(std::string_view name) {
    return R"({"name":")" + std::string(name) + R"(","inputSchema":{"type":"object"}})";
}

class Lists : public EachEra {
protected:
    void SetUp() override { open(GetParam()); }
    std::string page(std::string_view member, std::string_view items, std::string_view next = {},
                     int ttl = 0) const {
        std::string text = "\"" + std::string(member) + "\":[" + std::string(items) + "]";
        if (!next.empty()) text += R"(,"nextCursor":)" + std::string(next);
        if (is_modern())
            text += R"(,"ttlMs":)" + std::to_string(ttl) + R"(,"cacheScope":"private")";
        return complete(text);
    }
};

TEST_P(Lists, a_list_is_fetched_page_by_page) {
    auto listing = start(client.list_tools());
    auto request = server->expect("tools/list");
    bool const has_cursor = request.as_object().contains("params") &&
                            request.at("params").as_object().contains("cursor");
    EXPECT_FALSE(has_cursor);
    server->result(request, page("tools", tool("a") + "," + tool("b"), R"("")"));
    // An empty cursor is treated like any other.
    request = server->expect("tools/list");
    EXPECT_EQ(request.at("params").at("cursor"), "");
    server->result(request, page("tools", "", R"("more")"));
    request = server->expect("tools/list");
    EXPECT_EQ(request.at("params").at("cursor"), "more");
    server->result(request, page("tools", tool("c")));
    auto const tools = listing.value();
    ASSERT_EQ(tools.size(), 3U);
    EXPECT_EQ(tools[2].name, "c");
}

TEST_P(Lists, an_iterator_fetches_pages_on_demand) {
    auto tools = client.tools();
    EXPECT_TRUE(server->silent());
    auto first = start(tools.next());
    server->result(server->expect("tools/list"), page("tools", tool("a"), R"("n")"));
    EXPECT_EQ(first.value()->name, "a");
    EXPECT_TRUE(server->silent());
    auto second = start(tools.next());
    server->result(server->expect("tools/list"), page("tools", tool("b")));
    EXPECT_EQ(second.value()->name, "b");
    EXPECT_FALSE(start(tools.next()).value());
    EXPECT_FALSE(start(tools.next()).value());
    EXPECT_TRUE(server->silent());
}

TEST_P(Lists, every_list_has_its_three_forms) {
    auto const resource = R"({"uri":"a:b","name":"r"})";
    auto resources = start(client.list_resources());
    server->result(server->expect("resources/list"), page("resources", resource));
    EXPECT_EQ(resources.value().at(0).name, "r");
    auto resource_page = start(client.list_resources_page("c"));
    server->result(server->expect("resources/list"), page("resources", resource, R"("d")"));
    EXPECT_EQ(resource_page.value().next_cursor, "d");
    auto iterated = client.resources();
    auto next = start(iterated.next());
    server->result(server->expect("resources/list"), page("resources", resource));
    EXPECT_EQ(next.value()->uri, "a:b");

    auto const schema = R"({"uriTemplate":"a:{b}","name":"t"})";
    auto templates = start(client.list_resource_templates());
    server->result(server->expect("resources/templates/list"), page("resourceTemplates", schema));
    EXPECT_EQ(templates.value().at(0).name, "t");
    auto template_page = start(client.list_resource_templates_page());
    server->result(server->expect("resources/templates/list"), page("resourceTemplates", schema));
    EXPECT_EQ(template_page.value().resource_templates.size(), 1U);
    EXPECT_FALSE(start(client.resource_templates().next()).done());
    server->expect("resources/templates/list");

    auto prompts = start(client.list_prompts());
    server->result(server->expect("prompts/list"), page("prompts", R"({"name":"p"})"));
    EXPECT_EQ(prompts.value().at(0).name, "p");
    auto prompt_page = start(client.list_prompts_page());
    server->result(server->expect("prompts/list"), page("prompts", R"({"name":"p"})"));
    EXPECT_EQ(prompt_page.value().prompts.size(), 1U);
    auto iterated_prompts = client.prompts();
    auto prompt = start(iterated_prompts.next());
    server->result(server->expect("prompts/list"), page("prompts", R"({"name":"p"})"));
    EXPECT_EQ(prompt.value()->name, "p");
    auto tool_page = start(client.list_tools_page());
    server->result(server->expect("tools/list"), page("tools", tool("a")));
    EXPECT_EQ(tool_page.value().tools.size(), 1U);
}

TEST_P(Lists, a_cursor_that_repeats_itself_ends_the_list) {
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"), page("tools", tool("a"), R"("x")"));
    server->result(server->expect("tools/list"), page("tools", tool("a"), R"("x")"));
    EXPECT_TRUE(listing.error().is(Errc::protocol_violation));
}

TEST_P(Lists, an_error_to_a_cursor_reaches_the_caller) {
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"), page("tools", tool("a"), R"("x")", 60'000));
    server->error(server->expect("tools/list"), -32602);
    EXPECT_EQ(listing.error().peer_code(), -32602);
    // The cached pages are discarded, because they no longer belong together.
    auto again = start(client.list_tools());
    server->result(server->expect("tools/list"), page("tools", tool("b")));
    EXPECT_EQ(again.value().at(0).name, "b");
}

TEST_P(Lists, structured_output_is_checked_against_the_schema_of_a_list) {
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"),
                   page("tools", R"({"name":"n","inputSchema":{"type":"object"},)"
                                 R"("outputSchema":{"type":"object","required":["x"]}},)"
                                 R"({"name":"bad","inputSchema":{"type":"object"},)"
                                 R"("outputSchema":{"type":"object","$ref":"#/nowhere"}})"));
    EXPECT_EQ(listing.value().size(), 2U);
    auto const answered = [&](std::string_view name, std::string_view members) {
        auto calling = start(attempt(client.call_tool(std::string(name))));
        server->result(server->expect("tools/call"), complete(members));
        return calling.value();
    };
    EXPECT_TRUE(answered("n", R"("content":[],"structuredContent":{"x":1})"));
    auto const wrong = answered("n", R"("content":[],"structuredContent":{"y":1})");
    ASSERT_FALSE(wrong);
    EXPECT_TRUE(wrong.error().is(Errc::protocol_violation));
    EXPECT_FALSE(answered("n", R"("content":[])"));
    EXPECT_TRUE(answered("n", R"("content":[],"isError":true)"));
    EXPECT_TRUE(answered("unknown", R"("content":[])"));
    // A schema that does not compile is not applied.
    EXPECT_TRUE(answered("bad", R"("content":[],"structuredContent":{"y":1})"));
    // If a newer list has the tool without a schema, results are no longer checked.
    auto relisting = start(client.list_tools(CallOptions().bypass_cache(true)));
    server->result(server->expect("tools/list"), page("tools", tool("n") + "," + tool("m")));
    EXPECT_TRUE(relisting.done());
    EXPECT_TRUE(answered("n", R"("content":[])"));
}

class SizedLists : public Lists {
protected:
    void SetUp() override {
        open(GetParam(), ClientOptions().max_list_entries(3).max_list_bytes(2'000));
    }
    /// A tool definition with this size in bytes.
    static std::string sized(std::size_t bytes) {
        auto const rest = tool("").size();
        return tool(std::string(bytes - rest, 'x'));
    }
};

TEST_P(SizedLists, a_list_has_as_many_entries_as_the_limit) {
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"), page("tools", tool("a"), R"("1")"));
    server->result(server->expect("tools/list"), page("tools", tool("b") + "," + tool("c")));
    EXPECT_EQ(listing.value().size(), 3U);
}

TEST_P(SizedLists, a_list_with_more_entries_is_not_fetched_to_its_end) {
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"), page("tools", tool("a"), R"("1")"));
    server->result(server->expect("tools/list"),
                   page("tools", tool("b") + "," + tool("c") + "," + tool("d"), R"("2")"));
    auto const error = listing.error();
    EXPECT_TRUE(error.is(Errc::too_large));
    EXPECT_NE(error.message().find("3 entries (max_list_entries)"), std::string::npos)
        << error.message();
    EXPECT_TRUE(server->silent());
}

TEST_P(SizedLists, the_bytes_of_all_pages_count) {
    auto listing = start(client.list_tools());
    auto const first = page("tools", sized(1'000), R"("1")");
    server->result(server->expect("tools/list"), first);
    auto const frame = page("tools", "").size();
    server->result(server->expect("tools/list"),
                   page("tools", sized(2'000 - first.size() - frame)));
    EXPECT_EQ(listing.value().size(), 2U);

    auto longer = start(client.list_tools());
    server->result(server->expect("tools/list"), first);
    server->result(server->expect("tools/list"),
                   page("tools", sized(2'001 - first.size() - frame)));
    auto const error = longer.error();
    EXPECT_TRUE(error.is(Errc::too_large));
    EXPECT_NE(error.message().find("2000 bytes (max_list_bytes)"), std::string::npos)
        << error.message();
}

TEST_P(SizedLists, an_iterator_is_not_limited) {
    auto tools = client.tools();
    for (int i = 0; i < 20; ++i) {
        auto next = start(tools.next());
        server->result(server->expect("tools/list"),
                       page("tools", sized(1'000), "\"" + std::to_string(i) + "\""));
        EXPECT_TRUE(next.value());
    }
    // Only the items that rest() collects count towards the limit.
    auto rest = start(tools.rest());
    server->result(server->expect("tools/list"), page("tools", tool("a")));
    EXPECT_EQ(rest.value().size(), 1U);
}

LANYARD_EACH_ERA(Lists);
LANYARD_EACH_ERA(SizedLists);

TEST_F(ClientTest, output_is_not_checked_if_that_is_switched_off) {
    ClientOptions options;
    options.check_output(false);
    open(Version::v2025_11_25, options);
    auto listing = start(client.list_tools());
    server->result(server->expect("tools/list"),
                   R"({"tools":[{"name":"n","inputSchema":{"type":"object"},)"
                   R"("outputSchema":{"type":"object","required":["x"]}}]})");
    EXPECT_TRUE(listing.done());
    auto calling = start(client.call_tool("n"));
    server->result(server->expect("tools/call"), R"({"content":[]})");
    EXPECT_FALSE(calling.value().is_error);
}

// Results of 2026-07-28 state how long they stay fresh.
class Caching : public ClientTest {
protected:
    static std::string fresh(std::string_view members, int ttl = 1000) {
        return R"({"resultType":"complete",)" + std::string(members) + R"(,"ttlMs":)" +
               std::to_string(ttl) + R"(,"cacheScope":"public"})";
    }
    static std::string contents(std::string_view text) {
        return R"("contents":[{"uri":"a:b","text":")" + std::string(text) + "\"}]";
    }
    std::string read(CallOptions const& options = {}) {
        auto reading = start(client.read_resource("a:b", options));
        return std::get<TextResourceContents>(reading.value().contents.at(0)).text;
    }
    /// Reads the resource; the server answers with this text.
    void fetch(std::string_view text, int ttl = 1000) {
        auto reading = start(client.read_resource("a:b"));
        server->result(server->expect("resources/read"), fresh(contents(text), ttl));
        EXPECT_TRUE(reading.done());
    }
    bool asks() {
        auto reading = start(client.read_resource("a:b"));
        auto const request = server->next();
        if (request.is_null()) return false;
        server->result(request, fresh(contents("asked")));
        return true;
    }
};

TEST_F(Caching, a_fresh_result_is_not_requested_again) {
    open(Version::v2026_07_28);
    fetch("one");
    advance(999ms);
    EXPECT_EQ(read(), "one");
    EXPECT_TRUE(server->silent());
    advance(1ms);
    EXPECT_TRUE(asks());
}

TEST_F(Caching, a_result_that_is_not_declared_fresh_is_not_kept) {
    open(Version::v2026_07_28);
    fetch("one", 0);
    EXPECT_TRUE(asks());
}

TEST_F(Caching, a_call_may_bypass_and_renew_a_cached_result) {
    open(Version::v2026_07_28);
    fetch("one");
    auto reading = start(client.read_resource("a:b", CallOptions().bypass_cache(true)));
    server->result(server->expect("resources/read"), fresh(contents("two")));
    EXPECT_TRUE(reading.done());
    EXPECT_EQ(read(), "two");
}

TEST_F(Caching, each_uri_and_each_page_is_cached_separately) {
    open(Version::v2026_07_28);
    fetch("one");
    auto other = start(client.read_resource("a:c"));
    server->expect("resources/read");
    auto first = start(client.list_tools_page());
    server->result(server->expect("tools/list"), fresh("\"tools\":[]"));
    auto empty_cursor = start(client.list_tools_page(""));
    server->result(server->expect("tools/list"), fresh("\"tools\":[]"));
    EXPECT_TRUE(start(client.list_tools_page()).done());
    EXPECT_TRUE(start(client.list_tools_page("")).done());
    EXPECT_FALSE(start(client.list_tools_page("x")).done());
}

TEST_F(Caching, nothing_is_kept_if_the_limit_is_zero) {
    ClientOptions options;
    options.max_cache_bytes(0);
    open(Version::v2026_07_28, options);
    fetch("one");
    EXPECT_TRUE(asks());
}

}  // namespace
}  // namespace lanyard

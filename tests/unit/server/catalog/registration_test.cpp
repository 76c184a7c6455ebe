// How features are registered: options before or after the handler, descriptions built at run time.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, name)

class RegistrationTest : public ::testing::Test {
protected:
    ~RegistrationTest() override {
        client.close();
        client.poll();
    }
    Json ask(std::string_view method, std::string_view params = "") {
        return client.answer(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                             R"(","params":{)" + std::string(params) + "}}");
    }
    Json read(std::string_view uri) {
        return at(ask("resources/read", R"("uri":")" + std::string(uri) + "\""), "result",
                  "contents", 0);
    }

    Server server{"s", "1"};
    boost::asio::io_context context;
    RawClient client{context, server};
};

std::string hello(Name in) {
    return "hello " + in.name;
}

TEST_F(RegistrationTest, the_options_of_a_tool_may_precede_or_follow_its_handler) {
    auto const options = ToolOptions().title("T").inline_();
    server.tool("before", "", options, [](Name in) { return in.name; });
    server.tool("after", "", [](Name in) { return in.name; }, options);
    server.tool("function", "", options, hello);
    server.tool("none", "", {}, hello);
    client.initialize();
    auto const tools = at(ask("tools/list"), "result", "tools");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(at(tools, i, "title"), "T") << i;
    EXPECT_EQ(at(tools, 3, "title"), Json(nullptr));
    for (auto const* name : {"before", "after"}) {
        auto const answer = ask(
            "tools/call", R"("name":")" + std::string(name) + R"(","arguments":{"name":"ada"})");
        EXPECT_EQ(at(answer, "result", "content", 0, "text"), "ada") << name;
    }
}

TEST_F(RegistrationTest, a_template_has_the_variables_that_its_handler_requires) {
    try {
        server.resource_template("t:{other}", "template", hello);
        FAIL() << "accepted";
    } catch (Error const& error) {
        EXPECT_EQ(error.message(),
                  R"(resource template "t:{other}": the handler requires the member "name", )"
                  "which is no variable of the template");
    }
}

TEST_F(RegistrationTest, the_capabilities_are_those_of_the_registered_features) {
    EXPECT_FALSE(server.capabilities().tools);
    EXPECT_FALSE(server.capabilities().resources);
    EXPECT_FALSE(server.capabilities().prompts);
    EXPECT_TRUE(server.capabilities().logging);
    server.tool("t", "", hello);
    server.resource_template("t:{name}", "template", hello);
    server.prompt("p", "", hello);
    auto const all = server.capabilities();
    ASSERT_TRUE(all.tools && all.resources && all.prompts);
    EXPECT_TRUE(all.tools->list_changed && all.prompts->list_changed);
    EXPECT_TRUE(all.resources->list_changed && all.resources->subscribe);
    EXPECT_TRUE(server.capability("resources.subscribe"));
    EXPECT_TRUE(server.remove_resource_template("t:{name}"));
    EXPECT_FALSE(server.capabilities().resources);
    EXPECT_FALSE(server.capability("resources.subscribe"));
}

TEST_F(RegistrationTest, a_removed_resource_template_is_neither_listed_nor_read) {
    server.resource_template("t:{name}", "one", hello);
    server.resource_template("u:{name}", "other", hello);
    client.initialize();
    EXPECT_EQ(at(read("t:ada"), "text"), "hello ada");
    EXPECT_FALSE(server.remove_resource_template("t:ada")) << "a URI is no template";
    EXPECT_TRUE(server.remove_resource_template("t:{name}"));
    EXPECT_FALSE(server.remove_resource_template("t:{name}"));
    auto const templates = at(ask("resources/templates/list"), "result", "resourceTemplates");
    ASSERT_EQ(templates.as_array().size(), 1U);
    EXPECT_EQ(at(templates, 0, "uriTemplate"), "u:{name}");
    EXPECT_TRUE(at(ask("resources/read", R"("uri":"t:ada")"), "error", "code").is_int64());
    EXPECT_EQ(at(read("u:ada"), "text"), "hello ada");
}

TEST_F(RegistrationTest, the_options_of_a_resource_may_precede_or_follow_its_content) {
    auto const options = ResourceOptions().mime_type("text/plain").title("R");
    server.resource("r:text", "text", options, "constant");
    server.resource("r:function", "function", options, [] { return "computed"; });
    server.resource("r:after", "after", "constant", options);
    server.resource_template("t:{name}", "template", options,
                             [](Name in) { return "hello " + in.name; });
    client.initialize();
    EXPECT_EQ(at(read("r:text"), "text"), "constant");
    EXPECT_EQ(at(read("r:function"), "text"), "computed");
    EXPECT_EQ(at(read("r:after"), "text"), "constant");
    EXPECT_EQ(at(read("t:ada"), "text"), "hello ada");
    for (auto const* uri : {"r:text", "r:function", "r:after", "t:ada"}) {
        EXPECT_EQ(at(read(uri), "mimeType"), "text/plain") << uri;
    }
    auto const listed = at(ask("resources/list"), "result", "resources");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(at(listed, i, "title"), "R") << i;
    auto const templates = at(ask("resources/templates/list"), "result", "resourceTemplates");
    EXPECT_EQ(at(templates, 0, "title"), "R");
}

TEST_F(RegistrationTest, the_options_of_a_prompt_may_precede_or_follow_its_handler) {
    server.prompt("after", "", hello, PromptOptions().title("P"));
    server.prompt("before", "", PromptOptions().title("P"), [](Name in) { return in.name; });
    client.initialize();
    auto const prompts = at(ask("prompts/list"), "result", "prompts");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(at(prompts, i, "title"), "P") << i;
    auto const answer = ask("prompts/get", R"("name":"before","arguments":{"name":"ada"})");
    EXPECT_EQ(at(answer, "result", "messages", 0, "content", "text"), "ada");
}

TEST_F(RegistrationTest, a_resource_is_described_at_run_time) {
    Resource resource;
    resource.uri = "r:1";
    resource.name = "one";
    resource.title = "One";
    resource.description = "The first";
    resource.mime_type = "text/markdown";
    resource.size = 3;
    server.add_resource(resource, [] { return "# 1"; }, ResourceOptions().title("First"));
    client.initialize();
    auto const listed = at(ask("resources/list"), "result", "resources", 0);
    EXPECT_EQ(at(listed, "name"), "one");
    EXPECT_EQ(at(listed, "title"), "First");
    EXPECT_EQ(at(listed, "description"), "The first");
    EXPECT_EQ(at(listed, "size"), 3);
    EXPECT_EQ(at(read("r:1"), "text"), "# 1");
    EXPECT_EQ(at(read("r:1"), "mimeType"), "text/markdown");
    resource.name.clear();
    EXPECT_THROW(server.add_resource(resource, "text"), Error);
}

TEST_F(RegistrationTest, a_resource_template_is_described_at_run_time) {
    ResourceTemplate rows;
    rows.uri_template = "rows:{name}";
    rows.name = "rows";
    rows.description = "All rows";
    server.add_resource_template(rows, [](Name in) { return in.name; });
    client.initialize();
    auto const listed = at(ask("resources/templates/list"), "result", "resourceTemplates", 0);
    EXPECT_EQ(at(listed, "uriTemplate"), "rows:{name}");
    EXPECT_EQ(at(listed, "description"), "All rows");
    EXPECT_EQ(at(read("rows:7"), "text"), "7");
    rows.uri_template = "rows:{";
    EXPECT_THROW(server.add_resource_template(rows, [](Name in) { return in.name; }), Error);
}

}  // namespace
}  // namespace lanyard::server

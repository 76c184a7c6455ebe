// The features of a provider as clients see them.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

class Library final : public Provider {
public:
    std::string name() const override { return "library"; }
    bool completes() const override { return true; }

    Task<std::vector<Tool>> list_tools(Context&) override {
        if (broken) throw std::runtime_error("the library is closed");
        std::vector<Tool> tools;
        for (auto const* const name : {"borrow", "own"}) {
            Tool tool;
            tool.name = name;
            tool.description = "of the library";
            tool.input_schema = RawJson::trusted(R"({"type":"object"})");
            tools.push_back(tool);
        }
        co_return tools;
    }
    Task<std::optional<CallToolResult>> call_tool(CallToolParams const& params, Context&) override {
        if (params.name != "borrow") co_return std::nullopt;
        CallToolResult result;
        TextContent content;
        content.text = "borrowed " + params.arguments.text();
        result.content.emplace_back(content);
        co_return result;
    }
    Task<std::vector<Resource>> list_resources(Context&) override {
        Resource resource;
        resource.uri = "book://1";
        resource.name = "The first book";
        std::vector<Resource> resources;
        resources.push_back(resource);
        co_return resources;
    }
    Task<std::vector<ResourceTemplate>> list_resource_templates(Context&) override {
        ResourceTemplate one;
        one.uri_template = "book://{id}";
        one.name = "Any book";
        std::vector<ResourceTemplate> templates;
        templates.push_back(one);
        co_return templates;
    }
    Task<std::optional<ReadResourceResult>> read_resource(ReadResourceParams const& params,
                                                          Context&) override {
        if (params.uri != "book://1") co_return std::nullopt;
        ReadResourceResult result;
        TextResourceContents contents;
        contents.uri = params.uri;
        contents.text = "Once upon a time";
        result.contents.emplace_back(contents);
        co_return result;
    }
    Task<std::vector<Prompt>> list_prompts(Context&) override {
        Prompt prompt;
        prompt.name = "review";
        std::vector<Prompt> prompts;
        prompts.push_back(prompt);
        co_return prompts;
    }
    Task<std::optional<GetPromptResult>> get_prompt(GetPromptParams const& params,
                                                    Context&) override {
        if (params.name != "review") co_return std::nullopt;
        GetPromptResult result;
        result.description = "Review a book";
        co_return result;
    }
    Task<std::optional<Completion>> complete(CompleteParams const& params, Context&) override {
        Completion completion;
        completion.values.push_back(params.argument.value + "!");
        co_return completion;
    }
    using Provider::changed;

    bool broken = false;
};

// With and without a handshake.
class ProviderTest : public ::testing::TestWithParam<bool> {
protected:
    ProviderTest() {
        server.tool("own", "of the server", [] { return "the server's"; });
        server.add_provider(library);
        if (!GetParam()) client.initialize();
    }
    ~ProviderTest() override {
        client.close();
        client.poll();
    }
    Json ask(std::string_view method, std::string params) {
        if (GetParam()) params += (params.empty() ? "" : ",") + RawClient::meta();
        return client.answer(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                             R"(","params":{)" + params + "}}");
    }

    std::shared_ptr<Library> library = std::make_shared<Library>();
    testing::FakeTime time;
    std::vector<std::string> logged;
    Server server{"s", "1", ServerOptions().time(time).on_log([this](auto, auto text) {
                      logged.emplace_back(text);
                  })};
    boost::asio::io_context context;
    RawClient client{context, server};
};

INSTANTIATE_TEST_SUITE_P(Eras, ProviderTest, ::testing::Bool());

TEST_P(ProviderTest, its_features_are_listed_after_the_servers_own) {
    auto const tools = at(ask("tools/list", ""), "result", "tools");
    ASSERT_EQ(tools.as_array().size(), 2U);
    EXPECT_EQ(at(tools, 0, "name"), "borrow");
    EXPECT_EQ(at(tools, 1, "description"), "of the server");
    EXPECT_EQ(at(ask("resources/list", ""), "result", "resources", 0, "uri"), "book://1");
    EXPECT_EQ(at(ask("resources/templates/list", ""), "result", "resourceTemplates", 0, "name"),
              "Any book");
    EXPECT_EQ(at(ask("prompts/list", ""), "result", "prompts", 0, "name"), "review");
}

TEST_P(ProviderTest, its_features_are_used_like_any_other) {
    EXPECT_EQ(at(ask("tools/call", R"("name":"borrow","arguments":{"book":1})"), "result",
                 "content", 0, "text"),
              R"(borrowed {"book":1})");
    EXPECT_EQ(at(ask("tools/call", R"("name":"own")"), "result", "content", 0, "text"),
              "the server's");
    EXPECT_EQ(at(ask("resources/read", R"("uri":"book://1")"), "result", "contents", 0, "text"),
              "Once upon a time");
    EXPECT_EQ(at(ask("prompts/get", R"("name":"review")"), "result", "description"),
              "Review a book");
    EXPECT_EQ(at(ask("completion/complete", R"("ref":{"type":"ref/prompt","name":"review"},)"
                                            R"("argument":{"name":"book","value":"x"})"),
                 "result", "completion", "values", 0),
              "x!");
}

TEST_P(ProviderTest, features_of_no_provider_are_unknown) {
    EXPECT_EQ(at(ask("tools/call", R"("name":"nope")"), "error", "code"), -32602);
    EXPECT_EQ(at(ask("prompts/get", R"("name":"nope")"), "error", "code"), -32602);
    EXPECT_EQ(at(ask("resources/read", R"("uri":"book://2")"), "error", "code"),
              GetParam() ? -32602 : -32002);
}

TEST_P(ProviderTest, a_list_that_fails_is_left_out) {
    library->broken = true;
    auto const tools = at(ask("tools/list", ""), "result", "tools");
    ASSERT_EQ(tools.as_array().size(), 1U);
    EXPECT_EQ(at(tools, 0, "name"), "own");
    ASSERT_FALSE(logged.empty());
    EXPECT_NE(logged.back().find("library"), std::string::npos);
    EXPECT_NE(logged.back().find("the library is closed"), std::string::npos);
    // Without other tools, the list would be empty, which would be wrong.
    server.remove_tool("own");
    EXPECT_NE(at(ask("tools/list", ""), "error"), Json(nullptr));
}

TEST_P(ProviderTest, its_changes_are_announced) {
    if (GetParam()) {
        client.send(R"({"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":)"
                    R"({"notifications":{"promptsListChanged":true},)" +
                    RawClient::meta() + "}}");
        EXPECT_EQ(at(client.next_json(), "method"), "notifications/subscriptions/acknowledged");
    }
    library->changed(FeatureKind::prompt);
    client.poll();
    EXPECT_EQ(at(client.next_json(), "method"), "notifications/prompts/list_changed");
}

}  // namespace
}  // namespace lanyard::server

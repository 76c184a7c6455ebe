// The features that a request may see and use: registered ones, providers, transforms and filters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/reflect.hpp"
#include "opaque_context.hpp"
#include "run_task.hpp"
#include "server/catalog/resolver.hpp"

namespace lanyard::server {
namespace {

using testing::ElementsAre;

enum class Table { users, orders };
LANYARD_ENUM(Table, users, orders)

struct Row {
    Table table = Table::users;
    int id = 0;
};
LANYARD_STRUCT(Row, table, id)

Tool tool_named(std::string name) {
    Tool tool;
    tool.name = std::move(name);
    tool.input_schema = lanyard::detail::no_arguments_schema({});
    return tool;
}

Resource resource_at(std::string uri) {
    Resource resource;
    resource.name = uri;
    resource.uri = std::move(uri);
    return resource;
}

Prompt prompt_named(std::string name) {
    Prompt prompt;
    prompt.name = std::move(name);
    return prompt;
}

ResourceTemplate template_of(std::string text) {
    ResourceTemplate value;
    value.name = text;
    value.uri_template = std::move(text);
    return value;
}

// Offers the features it is given; every answer contains its name.
class Shop : public Provider {
public:
    explicit Shop(std::string name) : name_(std::move(name)) {}

    std::string name() const override { return name_; }
    bool completes() const override { return !prompts.empty(); }

    Task<std::vector<Tool>> list_tools(Context&) override {
        if (broken) throw std::runtime_error("out of order");
        co_return tools;
    }
    Task<std::vector<Resource>> list_resources(Context&) override { co_return resources; }
    Task<std::vector<ResourceTemplate>> list_resource_templates(Context&) override {
        co_return templates;
    }
    Task<std::vector<Prompt>> list_prompts(Context&) override { co_return prompts; }

    Task<std::optional<CallToolResult>> call_tool(CallToolParams const& params, Context&) override {
        if (std::ranges::find(tools, params.name, &Tool::name) == tools.end()) {
            co_return std::nullopt;
        }
        TextContent text;
        text.text = name_ + ":" + params.name;
        CallToolResult result;
        result.content.emplace_back(std::move(text));
        co_return result;
    }
    Task<std::optional<ReadResourceResult>> read_resource(ReadResourceParams const& params,
                                                          Context&) override {
        if (params.uri.starts_with("none:")) co_return std::nullopt;
        TextResourceContents contents;
        contents.uri = params.uri;
        contents.text = name_;
        ReadResourceResult result;
        result.contents.emplace_back(std::move(contents));
        co_return result;
    }
    Task<std::optional<GetPromptResult>> get_prompt(GetPromptParams const& params,
                                                    Context&) override {
        if (std::ranges::find(prompts, params.name, &Prompt::name) == prompts.end()) {
            co_return std::nullopt;
        }
        GetPromptResult result;
        result.description = name_ + ":" + params.name;
        co_return result;
    }
    Task<std::optional<Completion>> complete(CompleteParams const& params, Context&) override {
        Completion completion;
        completion.values.push_back(name_);
        if (auto const* named = std::get_if<PromptReference>(&params.ref)) {
            if (std::ranges::find(prompts, named->name, &Prompt::name) == prompts.end()) {
                co_return std::nullopt;
            }
            completion.values.push_back(named->name);
        } else {
            completion.values.push_back(std::get<ResourceTemplateReference>(params.ref).uri);
        }
        co_return completion;
    }

    using Provider::changed;

    std::vector<Tool> tools;
    std::vector<Resource> resources;
    std::vector<ResourceTemplate> templates;
    std::vector<Prompt> prompts;
    bool broken = false;

private:
    std::string name_;
};

// Moves every URI from "a:" to "b:".
struct MoveUris : Transform {
    static std::string swap(std::string uri, char from, char to) {
        if (uri.starts_with(from)) uri[0] = to;
        return uri;
    }
    std::optional<Resource> resource(Resource resource) const override {
        resource.uri = swap(resource.uri, 'a', 'b');
        return resource;
    }
    std::optional<ResourceTemplate> resource_template(ResourceTemplate value) const override {
        value.uri_template = swap(value.uri_template, 'a', 'b');
        return value;
    }
    std::string original_uri(std::string uri) const override { return swap(uri, 'b', 'a'); }
};

class ResolverTest : public testing::Test {
protected:
    Resolver resolver() {
        return Resolver(store.snapshot(), filters, opaque_context(),
                        [this](std::string const& provider, std::exception_ptr) {
                            failures.push_back(provider);
                        });
    }
    std::shared_ptr<Shop> add_shop(std::string name) {
        auto shop = std::make_shared<Shop>(std::move(name));
        store.add_provider(shop);
        return shop;
    }
    void hide(FeatureKind hidden_kind, std::string hidden) {
        filters.emplace_back([=](FeatureKind kind, std::string_view name, Context&) {
            return kind != hidden_kind || name != hidden;
        });
    }
    void add_tool(std::string name) {
        store.add_tool(tool_named(name), bind_tool([name] { return name; }), {}, Typing::typed);
    }
    void add_prompt(Prompt prompt) {
        store.add_prompt(std::move(prompt), bind_prompt([] { return "text"; }), {});
    }

    std::vector<std::string> list(FeatureKind kind, std::string_view member, std::string_view key,
                                  bool providers = true) {
        ListRequest request;
        auto const seen = resolver();
        auto const answer =
            providers ? run_task(seen.list_all(kind, request)) : seen.list(kind, request);
        std::vector<std::string> names;
        auto const result = json::parse(*answer.value()).value();
        for (auto const& item : result.at(member).as_array()) {
            names.emplace_back(item.at(key).as_string());
        }
        return names;
    }
    std::vector<std::string> tools(bool providers = true) {
        return list(FeatureKind::tool, "tools", "name", providers);
    }

    std::string call(std::string name) {
        CallToolParams params;
        params.name = std::move(name);
        auto const seen = resolver();
        auto const result = run_task(seen.call_provided(params));
        return result ? std::get<TextContent>(result->content.at(0)).text : "unknown";
    }
    std::string read(std::string uri) {
        ReadResourceParams params;
        params.uri = std::move(uri);
        auto const seen = resolver();
        auto const result = run_task(seen.read_provided(params));
        if (!result) return "unknown";
        auto const& contents = std::get<TextResourceContents>(result->contents.at(0));
        return contents.text + " " + contents.uri;
    }
    std::string get(std::string name) {
        GetPromptParams params;
        params.name = std::move(name);
        auto const seen = resolver();
        auto const result = run_task(seen.get_provided(params));
        return result ? result->description : "unknown";
    }
    std::vector<std::string> complete(CompletionReference reference) {
        CompleteParams params;
        params.ref = std::move(reference);
        auto const seen = resolver();
        auto const result = run_task(seen.complete_provided(params));
        return result ? result->values : std::vector<std::string>{"unknown"};
    }

    CatalogStore store;
    std::vector<Filter> filters;
    std::vector<std::string> failures;
};

TEST_F(ResolverTest, finds_registered_features) {
    add_tool("a");
    EXPECT_NE(resolver().tool("a"), nullptr);
    EXPECT_EQ(resolver().tool("b"), nullptr);
    EXPECT_FALSE(resolver().has_providers());
}

TEST_F(ResolverTest, applies_filters) {
    add_tool("a");
    add_tool("b");
    hide(FeatureKind::tool, "a");
    EXPECT_EQ(resolver().tool("a"), nullptr);
    EXPECT_NE(resolver().tool("b"), nullptr);
    EXPECT_THAT(tools(false), ElementsAre("b"));
    EXPECT_THAT(tools(), ElementsAre("b"));
}

TEST_F(ResolverTest, calls_every_filter) {
    for (auto const* name : {"a", "b", "c"}) add_tool(name);
    hide(FeatureKind::tool, "a");
    hide(FeatureKind::tool, "b");
    EXPECT_THAT(tools(false), ElementsAre("c"));
}

TEST_F(ResolverTest, reads_registered_resources_before_templates) {
    store.add_resource(resource_at("db://users/7"), bind_resource("static"), {});
    store.add_resource_template(template_of("db://{table}/{id}"),
                                bind_resource_template([](UriVariables const&) { return "row"; }),
                                ResourceOptions().mime_type("text/x-row"));
    auto found = resolver().resource("db://users/7");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->variables.empty());
    EXPECT_NE(found->owner, nullptr);
    found = resolver().resource("db://users/8");
    ASSERT_TRUE(found);
    EXPECT_EQ(*found->variables.string("id"), "8");
    EXPECT_EQ(found->mime_type, "text/x-row");
    EXPECT_FALSE(resolver().resource("db:users"));
}

TEST_F(ResolverTest, filters_resources_and_templates) {
    store.add_resource(resource_at("x:a"), bind_resource("a"), {});
    store.add_resource_template(template_of("db://{table}/{id}"),
                                bind_resource_template([] { return "row"; }), {});
    store.add_resource_template(template_of("log://{day}"),
                                bind_resource_template([] { return "log"; }), {});
    hide(FeatureKind::resource, "x:a");
    hide(FeatureKind::resource, "db://users/7");
    hide(FeatureKind::resource_template, "log://{day}");
    EXPECT_FALSE(resolver().resource("x:a"));
    EXPECT_FALSE(resolver().resource("db://users/7"));
    EXPECT_TRUE(resolver().resource("db://users/8"));
    EXPECT_FALSE(resolver().resource("log://monday"));
    EXPECT_TRUE(list(FeatureKind::resource, "resources", "uri", false).empty());
    EXPECT_THAT(list(FeatureKind::resource_template, "resourceTemplates", "uriTemplate", false),
                ElementsAre("db://{table}/{id}"));
}

TEST_F(ResolverTest, prefers_the_template_with_more_literal_text) {
    for (auto const* text : {"db://{table}/{id}", "db://users/{id}", "db://{+rest}"}) {
        store.add_resource_template(template_of(text), bind_resource_template([] { return "r"; }),
                                    {});
    }
    auto const match = store.snapshot()->match_template("db://users/7");
    EXPECT_EQ(match->item.value->uri_template, "db://users/{id}");
}

TEST_F(ResolverTest, finds_templates_after_a_change_of_uris) {
    store.add_resource(resource_at("a:one"), bind_resource("one"), {});
    store.add_resource_template(
        template_of("a:{x}"), bind_resource_template([](UriVariables v) { return *v.string("x"); }),
        {});
    store.add_transform(std::make_shared<MoveUris>());
    EXPECT_TRUE(resolver().resource("b:one"));
    EXPECT_EQ(*resolver().resource("b:two")->variables.string("x"), "two");
    EXPECT_EQ(store.snapshot()->exposed_uri("a:one"), "b:one");
}

TEST_F(ResolverTest, lists_provided_features_with_the_registered_ones) {
    add_tool("b");
    auto const first = add_shop("first");
    auto const second = add_shop("second");
    first->tools = {tool_named("c"), tool_named("a"), tool_named("bad name")};
    second->tools = {tool_named("d"), tool_named("a")};
    EXPECT_THAT(tools(), ElementsAre("a", "b", "c", "d"));
    EXPECT_TRUE(resolver().has_providers());
}

TEST_F(ResolverTest, lists_every_kind) {
    auto const shop = add_shop("shop");
    shop->resources = {resource_at("x:a")};
    shop->templates = {template_of("x:{a}")};
    shop->prompts = {prompt_named("p")};
    add_prompt(prompt_named("q"));
    store.add_resource(resource_at("x:b"), bind_resource("b"), {});
    EXPECT_THAT(list(FeatureKind::resource, "resources", "uri"), ElementsAre("x:a", "x:b"));
    EXPECT_THAT(list(FeatureKind::resource_template, "resourceTemplates", "uriTemplate"),
                ElementsAre("x:{a}"));
    EXPECT_THAT(list(FeatureKind::prompt, "prompts", "name"), ElementsAre("p", "q"));
    EXPECT_THAT(list(FeatureKind::prompt, "prompts", "name", false), ElementsAre("q"));
}

TEST_F(ResolverTest, pages_provided_features) {
    auto const shop = add_shop("shop");
    for (int i = 0; i < 5; ++i) shop->tools.push_back(tool_named("t" + std::to_string(i)));
    ListRequest request;
    request.page_size = 3;
    auto const seen = resolver();
    auto page = json::parse(*run_task(seen.list_all(FeatureKind::tool, request)).value()).value();
    EXPECT_EQ(page.at("tools").as_array().size(), 3U);
    request.cursor = page.at("nextCursor").as_string();
    page = json::parse(*run_task(seen.list_all(FeatureKind::tool, request)).value()).value();
    EXPECT_EQ(page.at("tools").as_array().size(), 2U);
    request.cursor = "nonsense";
    EXPECT_FALSE(run_task(seen.list_all(FeatureKind::tool, request)));
}

TEST_F(ResolverTest, leaves_a_broken_provider_out_and_reports_it) {
    add_shop("broken")->broken = true;
    add_shop("sound")->tools = {tool_named("a")};
    EXPECT_THAT(tools(), ElementsAre("a"));
    EXPECT_THAT(failures, ElementsAre("broken"));
    Resolver const silent(store.snapshot(), filters, opaque_context());
    EXPECT_TRUE(run_task(silent.list_all(FeatureKind::tool, {})));
}

TEST_F(ResolverTest, calls_the_first_provider_that_has_the_tool) {
    add_shop("first")->tools = {tool_named("a")};
    add_shop("second")->tools = {tool_named("a"), tool_named("b")};
    EXPECT_EQ(call("a"), "first:a");
    EXPECT_EQ(call("b"), "second:b");
    EXPECT_EQ(call("c"), "unknown");
}

TEST_F(ResolverTest, calls_provided_tools_by_the_names_that_lists_show) {
    add_shop("shop")->tools = {tool_named("a"), tool_named("b")};
    store.add_transform(Transform::prefix("x_"));
    store.add_transform(Transform::rename({{"x_b", "c"}}));
    EXPECT_THAT(tools(), ElementsAre("c", "x_a"));
    EXPECT_EQ(call("x_a"), "shop:a");
    EXPECT_EQ(call("c"), "shop:b");
    EXPECT_EQ(call("a"), "unknown");
    EXPECT_EQ(call("b"), "unknown");
    EXPECT_EQ(call("x_b"), "unknown");
    EXPECT_EQ(call("nothing"), "unknown");
}

TEST_F(ResolverTest, does_not_call_provided_tools_that_are_hidden) {
    add_shop("shop")->tools = {tool_named("a"), tool_named("b"), tool_named("c")};
    hide(FeatureKind::tool, "a");
    store.add_transform(Transform::hide([](Tool const& tool) { return tool.name == "b"; }));
    EXPECT_EQ(call("a"), "unknown");
    EXPECT_EQ(call("b"), "unknown");
    EXPECT_EQ(call("c"), "shop:c");
}

TEST_F(ResolverTest, gets_provided_prompts) {
    add_shop("first");
    add_shop("second")->prompts = {prompt_named("p"), prompt_named("q")};
    EXPECT_EQ(get("p"), "second:p");
    EXPECT_EQ(get("z"), "unknown");
    store.add_transform(Transform::prefix("x_"));
    hide(FeatureKind::prompt, "x_q");
    EXPECT_EQ(get("x_p"), "second:p");
    EXPECT_EQ(get("p"), "unknown");
    EXPECT_EQ(get("x_q"), "unknown");
    EXPECT_EQ(get("x_z"), "unknown");
}

TEST_F(ResolverTest, reads_provided_resources) {
    auto const shop = add_shop("shop");
    EXPECT_EQ(read("x:any"), "shop x:any");
    EXPECT_EQ(read("none:any"), "unknown");
    shop->resources = {resource_at("a:one"), resource_at("a:two")};
    shop->templates = {template_of("a:rows/{id}"), template_of("{{")};
    store.add_transform(std::make_shared<MoveUris>());
    hide(FeatureKind::resource, "b:two");
    hide(FeatureKind::resource, "b:rows/9");
    EXPECT_EQ(read("b:one"), "shop b:one");
    EXPECT_EQ(read("a:one"), "unknown");
    EXPECT_EQ(read("b:two"), "unknown");
    EXPECT_EQ(read("b:rows/7"), "shop b:rows/7");
    EXPECT_EQ(read("b:rows/9"), "unknown");
    EXPECT_EQ(read("b:else"), "unknown");
}

TEST_F(ResolverTest, completes_through_providers) {
    auto const shop = add_shop("shop");
    shop->prompts = {prompt_named("p"), prompt_named("q")};
    EXPECT_THAT(complete(PromptReference{"p", ""}), ElementsAre("shop", "p"));
    EXPECT_THAT(complete(PromptReference{"z", ""}), ElementsAre("unknown"));
    EXPECT_THAT(complete(ResourceTemplateReference{"a:{x}"}), ElementsAre("shop", "a:{x}"));
    store.add_transform(Transform::prefix("x_"));
    store.add_transform(std::make_shared<MoveUris>());
    hide(FeatureKind::prompt, "x_q");
    hide(FeatureKind::resource_template, "b:{hidden}");
    EXPECT_THAT(complete(PromptReference{"x_p", ""}), ElementsAre("shop", "p"));
    EXPECT_THAT(complete(PromptReference{"x_q", ""}), ElementsAre("unknown"));
    EXPECT_THAT(complete(PromptReference{"x_z", ""}), ElementsAre("unknown"));
    EXPECT_THAT(complete(ResourceTemplateReference{"b:{x}"}), ElementsAre("shop", "a:{x}"));
    EXPECT_THAT(complete(ResourceTemplateReference{"b:{hidden}"}), ElementsAre("unknown"));
}

TEST_F(ResolverTest, finds_the_completion_of_a_prompt) {
    Prompt prompt = prompt_named("p");
    prompt.arguments = {{"a", "", "", true}, {"b", "", "", false}};
    add_prompt(prompt);
    store.complete_prompt(
        "p", "a", bind_completion([](std::string_view) { return std::vector<std::string>{"x"}; }));
    auto const find = [&](std::string name, std::string_view argument) {
        return resolver().completion(PromptReference{std::move(name), ""}, argument);
    };
    EXPECT_NE(find("p", "a").value()->function, nullptr);
    EXPECT_NE(find("p", "a").value()->stats, nullptr);
    EXPECT_EQ(find("p", "b").value()->function, nullptr);
    EXPECT_EQ(find("p", "b").value()->choices, nullptr);
    EXPECT_FALSE(find("q", "a").value());
    EXPECT_EQ(find("p", "c").error().to_string(),
              "/argument/name: \"c\" is not an argument of \"p\"");
    hide(FeatureKind::prompt, "p");
    EXPECT_FALSE(find("p", "a").value());
}

TEST_F(ResolverTest, finds_the_completion_of_a_template) {
    store.add_resource_template(template_of("db://{table}/{id}"),
                                bind_resource_template([](Row) { return "row"; }), {});
    store.complete_template("db://{table}/{id}", "id", bind_completion([](std::string_view) {
                                return std::vector<std::string>{"7"};
                            }));
    auto const find = [&](std::string uri, std::string_view variable) {
        return resolver().completion(ResourceTemplateReference{std::move(uri)}, variable);
    };
    EXPECT_NE(find("db://{table}/{id}", "id").value()->function, nullptr);
    EXPECT_THAT(*find("db://{table}/{id}", "table").value()->choices,
                ElementsAre("users", "orders"));
    EXPECT_NE(find("db://users/7", "id").value()->function, nullptr);
    EXPECT_FALSE(find("x:y", "id").value());
    EXPECT_FALSE(find("db://{table}/{id}", "zzz"));
    hide(FeatureKind::resource_template, "db://{table}/{id}");
    EXPECT_FALSE(find("db://{table}/{id}", "id").value());
}

TEST(CatalogStore, refuses_completion_of_missing_features) {
    CatalogStore store;
    auto const nothing = bind_completion([](std::string_view) { return Completion(); });
    EXPECT_THROW(store.complete_prompt("p", "a", nothing), Error);
    store.add_prompt(prompt_named("p"), bind_prompt([] { return "a"; }), {});
    EXPECT_THROW(store.complete_prompt("p", "a", nothing), Error);
    EXPECT_THROW(store.complete_template("x:{a}", "a", nothing), Error);
    store.add_resource_template(template_of("x:{a}"), bind_resource_template([] { return "a"; }),
                                {});
    EXPECT_THROW(store.complete_template("x:{a}", "b", nothing), Error);
}

TEST(CatalogStore, drops_the_completions_of_removed_features) {
    CatalogStore store;
    auto const nothing = bind_completion([](std::string_view) { return Completion(); });
    Prompt prompt = prompt_named("p");
    prompt.arguments = {{"a", "", "", true}};
    auto const add = [&] {
        store.add_prompt(prompt, bind_prompt([] { return "a"; }), {});
        store.add_resource_template(template_of("x:{a}"),
                                    bind_resource_template([] { return "a"; }), {});
    };
    add();
    store.complete_prompt("p", "a", nothing);
    store.complete_template("x:{a}", "a", nothing);
    EXPECT_TRUE(store.snapshot()->completes());
    EXPECT_NE(store.snapshot()->find_completion(FeatureKind::prompt, "p", "a"), nullptr);
    EXPECT_TRUE(store.remove_prompt("p"));
    EXPECT_TRUE(store.remove_resource_template("x:{a}"));
    EXPECT_FALSE(store.remove_prompt("p"));
    EXPECT_FALSE(store.remove_resource_template("x:{a}"));
    add();
    EXPECT_EQ(store.snapshot()->find_completion(FeatureKind::prompt, "p", "a"), nullptr);
    EXPECT_EQ(store.snapshot()->find_completion(FeatureKind::resource_template, "x:{a}", "a"),
              nullptr);
    EXPECT_FALSE(store.snapshot()->completes());
}

TEST(CatalogStore, reports_the_kinds_of_its_features) {
    CatalogStore store;
    auto const offered = [&] {
        std::string kinds;
        for (auto const kind : {FeatureKind::tool, FeatureKind::resource,
                                FeatureKind::resource_template, FeatureKind::prompt}) {
            kinds += store.snapshot()->offers(kind) ? '1' : '0';
        }
        return kinds;
    };
    EXPECT_EQ(offered(), "0000");
    store.add_tool(tool_named("a"), bind_tool([] {}), ToolOptions().enabled(false), Typing::typed);
    EXPECT_EQ(offered(), "1000");
    store.add_resource(resource_at("x:a"), bind_resource("a"), {});
    EXPECT_EQ(offered(), "1100");
    EXPECT_TRUE(store.remove_resource("x:a"));
    EXPECT_FALSE(store.remove_resource("x:a"));
    store.add_resource_template(template_of("x:{table}/{id}"),
                                bind_resource_template([](Row) { return "a"; }), {});
    EXPECT_EQ(offered(), "1010");
    EXPECT_TRUE(store.snapshot()->completes());
    store.add_prompt(prompt_named("p"), bind_prompt([] { return "a"; }), {});
    EXPECT_EQ(offered(), "1011");
    store.add_provider(std::make_shared<Provider>());
    EXPECT_EQ(offered(), "1111");
}

TEST(CatalogStore, passes_on_reports_of_its_providers) {
    using rpc::NotifiedList;
    auto const shop = std::make_shared<Shop>("shop");
    std::vector<rpc::NotifiedList> changes;
    {
        CatalogStore store;
        store.on_change([&](rpc::NotifiedList kind) { changes.push_back(kind); });
        store.add_provider(shop);
        EXPECT_THAT(changes, ElementsAre(rpc::NotifiedList::tools, rpc::NotifiedList::resources,
                                         rpc::NotifiedList::prompts));
        changes.clear();
        shop->changed(FeatureKind::tool);
        shop->changed(FeatureKind::resource);
        shop->changed(FeatureKind::resource_template);
        shop->changed(FeatureKind::prompt);
        EXPECT_THAT(changes, ElementsAre(rpc::NotifiedList::tools, rpc::NotifiedList::resources,
                                         rpc::NotifiedList::resources, rpc::NotifiedList::prompts));
        changes.clear();
    }
    shop->changed(FeatureKind::tool);
    EXPECT_TRUE(changes.empty());
}

TEST(AProvider, offers_nothing_by_itself) {
    Provider provider;
    auto& context = opaque_context();
    EXPECT_EQ(provider.name(), "provider");
    EXPECT_TRUE(run_task(provider.list_tools(context)).empty());
    EXPECT_TRUE(run_task(provider.list_resources(context)).empty());
    EXPECT_TRUE(run_task(provider.list_resource_templates(context)).empty());
    EXPECT_TRUE(run_task(provider.list_prompts(context)).empty());
    EXPECT_FALSE(run_task(provider.call_tool({}, context)));
    EXPECT_FALSE(run_task(provider.read_resource({}, context)));
    EXPECT_FALSE(run_task(provider.get_prompt({}, context)));
    EXPECT_FALSE(run_task(provider.complete({}, context)));
    EXPECT_FALSE(run_task(provider.find_tool("a", context)));
    EXPECT_FALSE(run_task(provider.find_prompt("a", context)));
    EXPECT_FALSE(provider.completes());
}

TEST(ReadResults, get_the_uri_and_type_they_lack) {
    ReadResourceResult result;
    result.contents.push_back(lanyard::detail::text_contents("a"));
    result.contents.push_back(lanyard::detail::blob_contents({}));
    TextResourceContents own;
    own.uri = "x:own";
    own.mime_type = "text/own";
    result.contents.emplace_back(own);
    CacheHint hint;
    hint.ttl = std::chrono::seconds(1);
    auto const done = completed(result, "x:a", "text/plain", hint);
    EXPECT_EQ(std::get<TextResourceContents>(done.contents[0]).uri, "x:a");
    EXPECT_EQ(std::get<BlobResourceContents>(done.contents[1]).mime_type, "text/plain");
    EXPECT_EQ(std::get<TextResourceContents>(done.contents[2]), own);
    EXPECT_EQ(done.cache, hint);
    result.cache.ttl = std::chrono::seconds(9);
    EXPECT_EQ(completed(result, "x:a", "", hint).cache.ttl, std::chrono::seconds(9));
}

}  // namespace
}  // namespace lanyard::server

// Registering tools: snapshots, order, replacement, transforms, encoded lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "server/catalog/catalog.hpp"
#include "server/catalog/lists.hpp"

namespace lanyard::server {
namespace {

using rpc::NotifiedList;
using testing::ElementsAre;
using testing::HasSubstr;

void add(CatalogStore& store, std::string name, ToolOptions options = {}) {
    auto handler = [name] { return name; };
    store.add_tool(describe_tool<decltype(handler)>(name, "Says " + name), bind_tool(handler),
                   std::move(options), Typing::typed);
}

std::vector<std::string> names(Catalog const& catalog) {
    std::vector<std::string> list;
    for (auto const& item : catalog.tools().items()) list.push_back(item.value->name);
    return list;
}

JsonObject listed(CatalogStore const& store, ListRequest const& request = {},
                  Visible<Tool> const& visible = {}) {
    auto const answer = list_tools(*store.snapshot(), request, visible);
    return json::parse(*answer.value()).value().as_object();
}

std::vector<std::string> listed_names(JsonObject const& result) {
    std::vector<std::string> list;
    for (auto const& tool : result.at("tools").as_array()) {
        list.emplace_back(tool.at("name").as_string());
    }
    return list;
}

TEST(CatalogStore, sorts_by_name) {
    CatalogStore store;
    for (auto const* name : {"b", "c", "a"}) add(store, name);
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("a", "b", "c"));
}

TEST(CatalogStore, does_not_change_earlier_snapshots) {
    CatalogStore store;
    add(store, "a");
    auto const before = store.snapshot();
    EXPECT_TRUE(store.remove_tool("a"));
    EXPECT_FALSE(store.remove_tool("a"));
    EXPECT_NE(before->find_tool("a"), nullptr);
    EXPECT_EQ(store.snapshot()->find_tool("a"), nullptr);
    EXPECT_LT(before->generation(), store.snapshot()->generation());
}

TEST(CatalogStore, gives_the_same_snapshot_until_something_changes) {
    CatalogStore store;
    add(store, "a");
    EXPECT_EQ(store.snapshot(), store.snapshot());
    CatalogReader reader(store);
    auto const first = reader.latest();
    EXPECT_EQ(reader.latest(), first);
    add(store, "b");
    EXPECT_NE(reader.latest(), first);
}

TEST(CatalogStore, replaces_a_tool_of_the_same_name) {
    CatalogStore store;
    add(store, "a");
    add(store, "a", ToolOptions().title("Second"));
    auto const catalog = store.snapshot();
    EXPECT_THAT(names(*catalog), ElementsAre("a"));
    EXPECT_EQ(catalog->find_tool("a")->tool.title, "Second");
}

TEST(CatalogStore, is_unchanged_when_a_tool_is_refused) {
    CatalogStore store;
    auto const generation = store.generation();
    EXPECT_THROW(add(store, "bad name"), Error);
    EXPECT_EQ(store.generation(), generation);
}

TEST(CatalogStore, hides_a_disabled_tool_from_lists_but_finds_it) {
    CatalogStore store;
    add(store, "a", ToolOptions().enabled(false));
    EXPECT_TRUE(names(*store.snapshot()).empty());
    ASSERT_NE(store.snapshot()->find_tool("a"), nullptr);
    EXPECT_FALSE(store.snapshot()->find_tool("a")->enabled);
    EXPECT_TRUE(store.enable_tool("a", true));
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("a"));
    EXPECT_FALSE(store.enable_tool("b", true));
}

TEST(CatalogStore, notifies_its_observer_of_every_change) {
    CatalogStore store;
    std::vector<rpc::NotifiedList> changes;
    store.on_change([&](rpc::NotifiedList kind) { changes.push_back(kind); });
    add(store, "a");
    store.enable_tool("a", true);  // no change
    store.enable_tool("a", false);
    store.remove_tool("a");
    store.remove_tool("a");  // no change
    EXPECT_EQ(changes, std::vector(3, rpc::NotifiedList::tools));
}

TEST(CatalogStore, may_be_changed_while_it_is_read) {
    CatalogStore store;
    std::jthread writer([&] {
        for (int i = 0; i < 300; ++i) {
            add(store, "t" + std::to_string(i % 10));
            store.remove_tool("t" + std::to_string((i + 5) % 10));
        }
    });
    CatalogReader reader(store);
    std::uint64_t last = 0;
    for (int i = 0; i < 300; ++i) {
        auto const& catalog = reader.latest();
        EXPECT_GE(catalog->generation(), last);
        last = catalog->generation();
        for (auto const& item : catalog->tools().items()) {
            EXPECT_EQ(catalog->find_tool(item.value->name), item.entry);
        }
    }
}

TEST(ListOfTools, is_the_encoded_result) {
    CatalogStore store;
    add(store, "a");
    ListRequest request;
    request.version = Version::v2025_11_25;
    EXPECT_EQ(
        *list_tools(*store.snapshot(), request).value(),
        R"({"tools":[{"name":"a","description":"Says a","inputSchema":{"type":"object","additionalProperties":false}}]})");
}

TEST(ListOfTools, follows_the_revision) {
    CatalogStore store;
    add(store, "a", ToolOptions().title("A"));
    ListRequest request;
    request.version = Version::v2026_07_28;
    request.cache.ttl = std::chrono::seconds(5);
    request.server_info = RawJson::trusted(R"({"name":"s","version":"1"})");
    auto const modern = json::serialize(Json(listed(store, request)));
    EXPECT_THAT(modern, HasSubstr(R"("ttlMs":5000)"));
    EXPECT_THAT(modern, HasSubstr(R"("resultType")"));
    EXPECT_THAT(modern, HasSubstr(R"({"name":"s","version":"1"})"));
    request.version = Version::v2025_03_26;
    auto const old = json::serialize(Json(listed(store, request)));
    EXPECT_THAT(old, testing::Not(HasSubstr("ttlMs")));
    EXPECT_THAT(old, testing::Not(HasSubstr("title")));
}

TEST(ListOfTools, encodes_the_first_page_once) {
    CatalogStore store;
    add(store, "a");
    auto const first = list_tools(*store.snapshot(), {}).value();
    EXPECT_EQ(list_tools(*store.snapshot(), {}).value(), first);
    ListRequest other;
    other.version = Version::v2025_11_25;
    EXPECT_NE(*list_tools(*store.snapshot(), other).value(), *first);
    EXPECT_EQ(list_tools(*store.snapshot(), {}).value(), first);
    other.version = ListRequest().version;
    other.page_size = 1;
    EXPECT_NE(list_tools(*store.snapshot(), other).value(), first);
    add(store, "b");
    EXPECT_NE(*list_tools(*store.snapshot(), {}).value(), *first);
}

TEST(ListOfTools, has_pages_that_survive_changes) {
    CatalogStore store;
    for (auto const* name : {"a", "b", "c", "d", "e"}) add(store, name);
    ListRequest request;
    request.page_size = 2;
    auto page = listed(store, request);
    EXPECT_THAT(listed_names(page), ElementsAre("a", "b"));
    store.remove_tool("b");
    add(store, "aa");
    std::string cursor(page.at("nextCursor").as_string());
    request.cursor = cursor;
    page = listed(store, request);
    EXPECT_THAT(listed_names(page), ElementsAre("c", "d"));
    cursor = page.at("nextCursor").as_string();
    request.cursor = cursor;
    page = listed(store, request);
    EXPECT_THAT(listed_names(page), ElementsAre("e"));
    EXPECT_FALSE(page.contains("nextCursor"));
}

TEST(ListOfTools, refuses_a_cursor_of_another_list) {
    CatalogStore store;
    ListRequest request;
    request.cursor = "nonsense";
    auto const answer = list_tools(*store.snapshot(), request);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().pointer, "/cursor");
}

TEST(ListOfTools, shows_only_visible_tools) {
    CatalogStore store;
    for (auto const* name : {"a", "b", "c"}) add(store, name);
    ListRequest request;
    request.page_size = 1;
    auto const page = listed(store, request, [](Tool const& tool) { return tool.name != "a"; });
    EXPECT_THAT(listed_names(page), ElementsAre("b"));
    EXPECT_THAT(listed_names(listed(store, request)), ElementsAre("a"));
}

TEST(ATransform, prefixes_names) {
    CatalogStore store;
    add(store, "a");
    store.add_transform(Transform::prefix("x_"));
    add(store, "b");
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("x_a", "x_b"));
    EXPECT_EQ(store.snapshot()->find_tool("a"), nullptr);
    ASSERT_NE(store.snapshot()->find_tool("x_a"), nullptr);
    EXPECT_EQ(store.snapshot()->find_tool("x_a")->tool.name, "a");
}

TEST(ATransform, renames_and_sorts_again) {
    CatalogStore store;
    for (auto const* name : {"a", "b"}) add(store, name);
    store.add_transform(Transform::rename({{"a", "z"}}));
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("b", "z"));
}

TEST(ATransform, hides_tools_from_lists_and_calls) {
    CatalogStore store;
    for (auto const* name : {"a", "b"}) add(store, name);
    store.add_transform(Transform::hide([](Tool const& tool) { return tool.name == "a"; }));
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("b"));
    EXPECT_EQ(store.snapshot()->find_tool("a"), nullptr);
}

TEST(Transforms, apply_in_the_order_of_adding) {
    CatalogStore store;
    add(store, "a");
    store.add_transform(Transform::prefix("x_"));
    store.add_transform(Transform::rename({{"x_a", "c"}}));
    store.add_transform(Transform::prefix("y_"));
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("y_c"));
}

TEST(Transforms, offer_one_of_two_tools_that_get_the_same_name) {
    CatalogStore store;
    for (auto const* name : {"a", "b"}) add(store, name);
    store.add_transform(Transform::rename({{"b", "a"}}));
    EXPECT_THAT(names(*store.snapshot()), ElementsAre("a"));
    EXPECT_EQ(store.snapshot()->find_tool("a")->tool.name, "a");
}

TEST(Transforms, do_not_offer_features_that_get_an_invalid_name) {
    struct Spoil : Transform {
        std::optional<Tool> tool(Tool tool) const override {
            tool.name = "no good";
            return tool;
        }
    };
    CatalogStore store;
    add(store, "a");
    store.add_transform(std::make_shared<Spoil>());
    EXPECT_TRUE(names(*store.snapshot()).empty());
}

TEST(Transforms, refuse_bad_names) {
    EXPECT_THROW(Transform::prefix("x y"), Error);
    EXPECT_THROW(Transform::rename({{"a", ""}}), Error);
    EXPECT_THROW(Transform::rename({{"a", "c"}, {"b", "c"}}), Error);
}

TEST(Transforms, map_names_back) {
    auto const prefix = Transform::prefix("x_");
    EXPECT_EQ(prefix->original_tool("x_a"), "a");
    EXPECT_EQ(prefix->original_prompt("x_a"), "a");
    EXPECT_EQ(prefix->original_tool("y"), "y");
    auto const rename = Transform::rename({{"a", "b"}});
    EXPECT_EQ(rename->original_tool("b"), "a");
    EXPECT_EQ(rename->original_prompt("b"), "a");
    EXPECT_EQ(rename->original_tool("c"), "c");
    auto const hide = Transform::hide([](Tool const&) { return false; });
    EXPECT_EQ(hide->original_tool("a"), "a");
    EXPECT_EQ(hide->original_prompt("a"), "a");
    EXPECT_EQ(hide->original_uri("x:a"), "x:a");
}

}  // namespace
}  // namespace lanyard::server

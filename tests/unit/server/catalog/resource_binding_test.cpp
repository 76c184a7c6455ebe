// Values and functions as resources and resource templates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/reflect.hpp"
#include "lanyard/server/resource.hpp"
#include "opaque_context.hpp"
#include "run_task.hpp"
#include "server/catalog/entries.hpp"

namespace lanyard {
namespace {

using testing::HasSubstr;

enum class Table { users, orders };
LANYARD_ENUM(Table, users, orders)

struct Row {
    Table table = Table::users;
    int id = 0;
    std::optional<bool> full;
    std::vector<std::string> columns;
    std::map<std::string, int> limits;
};
LANYARD_STRUCT(Row, table, id, full, (columns, defaulted), (limits, defaulted))

struct Stats {
    int users = 0;
};
LANYARD_STRUCT(Stats, users)

ReadReply read(ResourceFunction const& function, UriVariables const& variables = {}) {
    auto& context = server::opaque_context();
    if (function.call) return function.call(variables, context);
    return server::run_task(function.start(variables, context));
}

TextResourceContents text_of(ReadReply const& reply) {
    return std::get<TextResourceContents>(reply.value().contents.at(0));
}

TEST(BindResource, keeps_static_content) {
    auto const text = bind_resource("hello");
    EXPECT_EQ(text.size, 5);
    EXPECT_EQ(text_of(read(text)).text, "hello");
    auto const bytes = bind_resource(std::vector<std::byte>(3, std::byte{1}));
    EXPECT_EQ(bytes.size, 3);
    EXPECT_EQ(std::get<BlobResourceContents>(read(bytes)->contents.at(0)).blob, "AQEB");
}

TEST(BindResource, accepts_every_kind_of_value) {
    EXPECT_EQ(text_of(read(bind_resource([] { return std::string("a"); }))).text, "a");
    EXPECT_EQ(text_of(read(bind_resource([](Context&) { return "b"; }))).text, "b");
    auto const json = text_of(read(bind_resource([] { return Stats{7}; })));
    EXPECT_EQ(json.text, R"({"users":7})");
    EXPECT_EQ(json.mime_type, "application/json");
    EXPECT_EQ(text_of(read(bind_resource([] { return Json{{"a", 1}}; }))).text, R"({"a":1})");
    EXPECT_EQ(text_of(read(bind_resource([] { return lanyard::detail::text_contents("c"); }))).text,
              "c");
    EXPECT_EQ(text_of(read(bind_resource([] {
                  TextResourceContents contents;
                  contents.text = "d";
                  return contents;
              }))).text,
              "d");
    auto const two = read(bind_resource(
        [] { return std::vector<ResourceContents>(2, lanyard::detail::text_contents("e")); }));
    EXPECT_EQ(two->contents.size(), 2U);
    auto const whole = read(bind_resource([] {
        ReadResourceResult result;
        result.cache.ttl = std::chrono::seconds(1);
        return result;
    }));
    EXPECT_EQ(whole->cache.ttl, std::chrono::seconds(1));
    EXPECT_FALSE(bind_resource([] { return "x"; }).size);
}

TEST(BindResource, runs_coroutines) {
    auto const function = bind_resource([]() -> Task<std::string> { co_return "later"; });
    EXPECT_FALSE(function.call);
    EXPECT_EQ(text_of(read(function)).text, "later");
}

TEST(BindResource, an_empty_optional_means_not_found) {
    EXPECT_FALSE(read(bind_resource([] { return std::optional<std::string>(); })));
    EXPECT_EQ(text_of(read(bind_resource([] { return std::optional<std::string>("a"); }))).text,
              "a");
    EXPECT_FALSE(
        read(bind_resource([]() -> Task<std::optional<Stats>> { co_return std::nullopt; })));
}

UriVariables variables(std::string_view uri) {
    static auto const parsed =
        UriTemplate::parse("db://{table}/{id}{?full,columns*}{&limits*}").value();
    return parsed.match(uri).value();
}

TEST(BindResourceTemplate, passes_the_variables) {
    auto const function = bind_resource_template(
        [](UriVariables const& given, Context&) { return *given.string("id"); });
    EXPECT_EQ(text_of(read(function, variables("db://users/7"))).text, "7");
}

TEST(BindResourceTemplate, reads_the_variables_into_a_struct) {
    auto const function = bind_resource_template([](Row row) {
        EXPECT_EQ(row.table, Table::orders);
        EXPECT_EQ(row.full, true);
        EXPECT_THAT(row.columns, testing::ElementsAre("a", "b"));
        return std::to_string(row.id);
    });
    auto const given = variables("db://orders/7?full=true&columns=a&columns=b");
    EXPECT_EQ(text_of(read(function, given)).text, "7");
}

TEST(BindResourceTemplate, reads_associative_arrays_and_single_items) {
    UriVariables given;
    given.set("table", "users");
    given.set("id", "1");
    given.set("columns", "only");
    given.set("limits", UriPairs{{"rows", "5"}});
    auto const function = bind_resource_template([](Row row) {
        EXPECT_THAT(row.columns, testing::ElementsAre("only"));
        EXPECT_EQ(row.limits.at("rows"), 5);
        EXPECT_FALSE(row.full);
        return "ok";
    });
    EXPECT_TRUE(read(function, given));
}

TEST(BindResourceTemplate, finds_nothing_if_a_variable_has_the_wrong_type) {
    auto const function = bind_resource_template([](Row) { return "row"; });
    EXPECT_TRUE(read(function, variables("db://users/7")));
    EXPECT_FALSE(read(function, variables("db://users/seven")));
    EXPECT_FALSE(read(function, variables("db://users/7%20")));
    EXPECT_FALSE(read(function, variables("db://planets/7")));
    EXPECT_FALSE(read(function, variables("db://users/7?full=maybe")));
    auto const later = bind_resource_template([](Row) -> Task<std::string> { co_return "row"; });
    EXPECT_TRUE(read(later, variables("db://users/7")));
    EXPECT_FALSE(read(later, variables("db://users/seven")));
    UriVariables lists;
    lists.set("table", "users");
    lists.set("id", UriList{"1", "2"});
    EXPECT_FALSE(read(function, lists));
    lists.set("id", UriPairs{{"1", "2"}});
    EXPECT_FALSE(read(function, lists));
}

TEST(BindResourceTemplate, has_the_choices_of_enumerations) {
    auto const function = bind_resource_template([](Row) { return "row"; });
    EXPECT_THAT(function.choices.at("table"), testing::ElementsAre("users", "orders"));
    EXPECT_EQ(function.choices.size(), 1U);
}

template <class Make>
std::string refusal(Make make) {
    try {
        make();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        return error.message();
    }
    return "accepted";
}

TEST(AResource, shows_its_options) {
    Resource resource;
    resource.uri = "x:a";
    resource.name = "a";
    Annotations annotations;
    annotations.priority = 1;
    auto const entry = server::make_resource_entry(resource, bind_resource("abc"),
                                                   ResourceOptions()
                                                       .title("A")
                                                       .description("The a")
                                                       .mime_type("text/plain")
                                                       .annotations(annotations)
                                                       .keep_reads(std::chrono::seconds(3)));
    EXPECT_EQ(entry->resource.title, "A");
    EXPECT_EQ(entry->resource.description, "The a");
    EXPECT_EQ(entry->resource.mime_type, "text/plain");
    EXPECT_EQ(entry->resource.annotations, annotations);
    EXPECT_EQ(entry->resource.size, 3);
    EXPECT_EQ(entry->options.keep_reads(), std::chrono::seconds(3));
    auto const sized = server::make_resource_entry(
        resource, bind_resource("abc"),
        ResourceOptions().size(9).cache(CacheHint{std::chrono::seconds(1), CacheScope::public_}));
    EXPECT_EQ(sized->resource.size, 9);
    EXPECT_EQ(sized->options.cache().ttl, std::chrono::seconds(1));
}

TEST(AResource, is_refused_with_a_bad_uri_or_no_name) {
    auto const make = [](std::string uri, std::string name) {
        return refusal([&] {
            Resource resource;
            resource.uri = uri;
            resource.name = name;
            server::make_resource_entry(resource, bind_resource("a"), {});
        });
    };
    EXPECT_THAT(make("no uri", "a"), HasSubstr("resource \"no uri\": must be a URI"));
    EXPECT_THAT(make("x:a", ""), HasSubstr("must have a name"));
}

TEST(AResourceTemplate, is_refused_with_a_bad_text_or_no_name) {
    auto const make = [](std::string text, std::string name) {
        return refusal([&] {
            ResourceTemplate value;
            value.uri_template = text;
            value.name = name;
            server::make_template_entry(value, bind_resource_template([] { return "a"; }), {});
        });
    };
    EXPECT_THAT(make("x:{a", "a"), HasSubstr("resource template \"x:{a\""));
    EXPECT_THAT(make("x:{a}", ""), HasSubstr("must have a name"));
}

}  // namespace
}  // namespace lanyard

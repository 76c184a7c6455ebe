// Tools of many types, called by clients of both eras: the values that arrive, and the listed
// schemas.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "lanyard/client.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/connect.hpp"
#include "support/run_task.hpp"

namespace lanyard::testing {

enum class Color { red, dark_green };
LANYARD_ENUM(Color, (red, "Red"), (dark_green, "Dark green", name{"dark-green"}))

struct Point {
    int x = 0;
    std::optional<int> y;
};
LANYARD_STRUCT(Point, x, y)

struct Add {
    int a = 0;
    int b = 0;
    std::optional<std::string> note;
    Color color = Color::red;
};
LANYARD_STRUCT(Add, a, b, note, (color, defaulted))

struct Pair {
    Point from, to;
};
LANYARD_STRUCT(Pair, from, to)

namespace {

using namespace std::chrono_literals;

void offer(Server& server) {
    server.tool("add", "", [](Add in) { return in.a + in.b; });
    server.tool("half", "", [] { return 0.5; });
    server.tool("is", "", [] { return true; });
    server.tool("text", "", [] { return std::string("[1]"); });
    server.tool("color", "", [](Add in) { return in.color; });
    server.tool("points", "", [] {
        std::vector<Point> points(2);
        points[1].x = 7;
        return points;
    });
    server.tool("point", "", [] { return Point(); });
    server.tool("both", "", [] { return std::pair(Point(), Point()); });
    server.tool("wait", "", [] { return 1500ms; });
    server.tool("path", "", [] { return std::filesystem::path("/tmp/x"); });
    server.tool("names", "", [] { return std::map<int, std::string>{{1, "one"}}; });
    server.tool("maybe", "",
                [](Add in) { return in.a > 0 ? std::optional<int>(in.a) : std::nullopt; });
    server.tool("either", "", [](Add in) -> std::variant<Point, int> {
        if (in.a > 0) return in.a;
        return Point();
    });
    server.tool("move", "", [](Pair in) { return in.to.x - in.from.x; });
    Tool composed;
    composed.name = "composed";
    composed.input_schema = RawJson::trusted(
        R"({"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false})");
    composed.output_schema = RawJson::trusted(R"({"type":"array","items":{"type":"integer"}})");
    server.add_tool(composed, [](JsonObject const& in) {
        CallToolResult result;
        result.structured_content = RawJson(Json(JsonArray{static_cast<std::int64_t>(in.size())}));
        return result;
    });
}

template <class Talk>
void in_both_eras(ServerOptions const& options, Talk const& talk) {
    for (auto const era : {Era::legacy, Era::modern}) {
        boost::asio::io_context context;
        Server server("types", "1", options);
        offer(server);
        auto const run = [&]() -> Task<> {
            ClientOptions client_options("tester", "1");
            auto const client = co_await connect(server, era, client_options);
            co_await talk(client, era == Era::modern);
        };
        test::run_task(context, run());
    }
}

TEST(TypedResults, arrive_as_they_were_returned) {
    in_both_eras({}, [](Client client, bool) -> Task<> {
        // Once the tools are listed, results are checked against the output schemas.
        co_await client.list_tools();
        Add add;
        add.a = 40;
        add.b = 2;
        EXPECT_EQ(co_await client.call<int>("add", add), 42);
        EXPECT_EQ(co_await client.call<double>("half"), 0.5);
        EXPECT_TRUE(co_await client.call<bool>("is"));
        EXPECT_EQ(co_await client.call<std::string>("text"), "[1]");
        EXPECT_EQ(co_await client.call<Color>("color", add), Color::red);
        EXPECT_EQ(co_await client.call<std::string>("color", add), "red");
        auto const points = co_await client.call<std::vector<Point>>("points");
        EXPECT_EQ(points.at(1).x, 7);
        EXPECT_EQ((co_await client.call<std::pair<Point, Point>>("both")).first.x, 0);
        EXPECT_EQ(co_await client.call<std::chrono::milliseconds>("wait"), 1500ms);
        EXPECT_EQ(co_await client.call<std::filesystem::path>("path"), "/tmp/x");
        auto const names = co_await client.call<std::map<int, std::string>>("names");
        EXPECT_EQ(names.at(1), "one");
        auto const maybe =
            co_await client.call<std::optional<int>>("maybe", lanyard::arguments("a", 0, "b", 0));
        EXPECT_FALSE(maybe);
        auto const either = co_await client.call<std::variant<Point, int>>("either", add);
        EXPECT_EQ(either.index(), 1U);
        auto const point = co_await client.call<std::variant<Point, int>>(
            "either", lanyard::arguments("a", 0, "b", 0));
        EXPECT_EQ(point.index(), 0U);
        auto const counted = co_await client.call<std::vector<int>>("composed", {{"n", 5}});
        EXPECT_EQ(counted.at(0), 1);
    });
}

TEST(TypedResults, are_wrapped_before_2026_07_28_and_sent_as_they_are_since) {
    in_both_eras({}, [](Client client, bool modern) -> Task<> {
        auto const points = co_await client.call_tool("points");
        EXPECT_EQ(points.structured_content.text(),
                  modern ? R"([{"x":0},{"x":7}])" : R"({"result":[{"x":0},{"x":7}]})");
        EXPECT_EQ(std::get<TextContent>(points.content.at(0)).text, R"([{"x":0},{"x":7}])");
        auto const color = co_await client.call_tool("color", {{"a", 1}, {"b", 2}});
        EXPECT_EQ(color.structured_content.text(), modern ? R"("red")" : R"({"result":"red"})");
        EXPECT_EQ(std::get<TextContent>(color.content.at(0)).text, "red");
        auto const point = co_await client.call_tool("point");
        EXPECT_EQ(point.structured_content.text(), R"({"x":0})");
        auto const text = co_await client.call_tool("text");
        EXPECT_TRUE(text.structured_content.empty());
        auto const composed = co_await client.call_tool("composed");
        EXPECT_EQ(composed.structured_content.text(), modern ? "[0]" : R"({"result":[0]})");
        EXPECT_EQ(std::get<TextContent>(composed.content.at(0)).text, "[0]");
    });
}

std::map<std::string, Tool> by_name(std::vector<Tool> tools) {
    std::map<std::string, Tool> named;
    for (auto& tool : tools) named.emplace(tool.name, tool);
    return named;
}

TEST(TypedResults, have_schemas_of_the_wrapped_form_before_2026_07_28) {
    in_both_eras({}, [](Client client, bool modern) -> Task<> {
        auto const listed = co_await client.list_tools();
        auto const tools = by_name(listed);
        auto const wrapped = [modern](std::string const& schema, std::string const& defs = "") {
            if (modern) return schema.substr(0, schema.size() - 1) + defs + "}";
            return R"({"type":"object","properties":{"result":)" + schema +
                   R"(},"required":["result"])" + defs + "}";
        };
        EXPECT_EQ(tools.at("add").output_schema.text(), wrapped(R"({"type":"integer"})"));
        EXPECT_EQ(tools.at("composed").output_schema.text(),
                  wrapped(R"({"type":"array","items":{"type":"integer"}})"));
        // Definitions stay at the root, because references are resolved from there.
        auto const point = R"({"type":"object","properties":{"x":{"type":"integer"},)"
                           R"("y":{"type":"integer"}},"required":["x"]})";
        EXPECT_EQ(tools.at("both").output_schema.text(),
                  wrapped(R"({"type":"array","prefixItems":[{"$ref":"#/$defs/Point"},)"
                          R"({"$ref":"#/$defs/Point"}],"items":false,"minItems":2,"maxItems":2})",
                          R"(,"$defs":{"Point":)" + std::string(point) + "}"));
        EXPECT_EQ(tools.at("point").output_schema.text(), point);
        // The legacy era has no schema for results that may or may not be objects.
        EXPECT_EQ(tools.at("either").output_schema.empty(), !modern);
        EXPECT_TRUE(tools.at("text").output_schema.empty());
    });
}

TEST(Arguments, unknown_arguments_are_refused_by_default) {
    in_both_eras({}, [](Client client, bool) -> Task<> {
        auto const misspelt =
            co_await client.call_tool("add", {{"a", 1}, {"b", 2}, {"note_", "x"}});
        EXPECT_TRUE(misspelt.is_error);
        EXPECT_EQ(std::get<TextContent>(misspelt.content.at(0)).text,
                  R"x(invalid arguments: unknown property "note_" (did you mean "note"?))x");
        auto const none = co_await client.call_tool("half", {{"toolCallId", "1"}});
        EXPECT_TRUE(none.is_error);
        auto const dynamic = co_await client.call_tool("composed", {{"m", 1}});
        EXPECT_TRUE(dynamic.is_error);
        auto const listed = co_await client.list_tools();
        auto const tools = by_name(listed);
        EXPECT_EQ(tools.at("add").input_schema.to_json().at("additionalProperties"), false);
    });
}

TEST(Arguments, unknown_arguments_are_ignored_if_the_server_allows_them) {
    in_both_eras(ServerOptions().ignore_unknown_arguments(true), [](Client client, bool) -> Task<> {
        auto const sum =
            co_await client.call_tool("add", {{"a", 1}, {"b", 2}, {"toolCallId", "x"}});
        EXPECT_FALSE(sum.is_error);
        auto const none = co_await client.call_tool("half", {{"toolCallId", "1"}});
        EXPECT_FALSE(none.is_error);
        // A tool with its own schema still applies it.
        auto const dynamic = co_await client.call_tool("composed", {{"m", 1}});
        EXPECT_TRUE(dynamic.is_error);
        auto const listed = co_await client.list_tools();
        EXPECT_FALSE(by_name(listed).at("add").input_schema.to_json().as_object().contains(
            "additionalProperties"));
    });
}

TEST(Arguments, a_tool_may_override_the_rules_of_its_server) {
    boost::asio::io_context context;
    Server server("types", "1", ServerOptions().ignore_unknown_arguments(true));
    server.tool("strict", "", [] {}, ToolOptions().ignore_unknown_arguments(false));
    server.tool("open", "", [] {});
    auto const talk = [&]() -> Task<> {
        ClientOptions options("tester", "1");
        auto const client = co_await connect(server, Era::modern, options);
        EXPECT_TRUE((co_await client.call_tool("strict", {{"x", 1}})).is_error);
        EXPECT_FALSE((co_await client.call_tool("open", {{"x", 1}})).is_error);
    };
    test::run_task(context, talk());
}

TEST(Arguments, a_null_argument_is_treated_as_absent) {
    in_both_eras({}, [](Client client, bool) -> Task<> {
        EXPECT_EQ(co_await client.call<int>(
                      "add", lanyard::arguments("a", 1, "b", 2, "note", nullptr, "color", nullptr)),
                  3);
        auto const counted =
            co_await client.call<std::vector<int>>("composed", lanyard::arguments("n", nullptr));
        EXPECT_EQ(counted.at(0), 0);
        auto const required =
            co_await client.call_tool("add", lanyard::arguments("a", nullptr, "b", 2));
        EXPECT_TRUE(required.is_error);
    });
}

TEST(Schemas, of_a_server_repeat_structs_if_the_option_is_set) {
    in_both_eras({}, [](Client client, bool) -> Task<> {
        auto const listed = co_await client.list_tools();
        EXPECT_NE(by_name(listed).at("move").input_schema.text().find("$ref"), std::string::npos);
    });
    in_both_eras(ServerOptions().inline_references(true), [](Client client, bool) -> Task<> {
        auto const listed = co_await client.list_tools();
        for (auto const& tool : listed) {
            EXPECT_EQ(tool.input_schema.text().find("$ref"), std::string::npos) << tool.name;
            EXPECT_EQ(tool.output_schema.text().find("$ref"), std::string::npos) << tool.name;
        }
    });
}

TEST(Schemas, of_tools_list_the_values_of_titled_enumerations) {
    in_both_eras({}, [](Client client, bool) -> Task<> {
        auto const listed = co_await client.list_tools();
        auto const schema = by_name(listed).at("add").input_schema.to_json();
        auto const& color = schema.at("properties").at("color");
        EXPECT_EQ(color.at("enum"), (JsonArray{"red", "dark-green"}));
        EXPECT_EQ(color.at("oneOf").as_array().size(), 2U);
    });
}

}  // namespace
}  // namespace lanyard::testing

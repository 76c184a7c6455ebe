// Functions as tools: signatures, schemas, decoding, replies, checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "lanyard/reflect.hpp"
#include "lanyard/server/tool.hpp"
#include "opaque_context.hpp"
#include "run_task.hpp"
#include "server/catalog/entries.hpp"

namespace lanyard {
namespace {

using testing::HasSubstr;

struct Greet {
    std::string name;
    int times = 1;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"), (times, "How often", min{1}, max{5}, defaulted))

struct Greeting {
    std::string text;
    int length = 0;
};
LANYARD_STRUCT(Greeting, text, length)

struct Code {
    std::string value;
};
LANYARD_STRUCT(Code, (value, pattern{"^[a-z]+$"}))

enum class Color { red, dark_green };
LANYARD_ENUM(Color, red, (dark_green, name{"dark-green"}))

ToolReply call(ToolFunction const& function, std::string_view arguments) {
    json::Document document;
    auto const view = document.parse(arguments).value();
    ToolReply reply;
    if (function.call) {
        lanyard::detail::InputStore input;
        function.decode(view, input);
        // The arguments are no longer needed.
        document = json::Document();
        function.call(input, server::opaque_context(), reply);
    } else {
        auto task = function.start(view, server::opaque_context(), reply);
        // The arguments are no longer needed.
        document = json::Document();
        server::run_task(std::move(task));
    }
    return reply;
}

template <class F>
ToolReply call_with(F handler, std::string_view arguments = "{}") {
    return call(bind_tool(std::move(handler)), arguments);
}

std::string greet(Greet in, Context&) {
    return "Hello, " + in.name;
}

Task<Greeting> greet_later(Greet in, Context&) {
    Greeting greeting;
    greeting.text = "Hello, " + in.name;
    greeting.length = static_cast<int>(greeting.text.size());
    co_return greeting;
}

TEST(BindTool, accepts_every_form_of_handler) {
    EXPECT_EQ(call_with([] { return "a"; }).text(), "a");
    EXPECT_EQ(call_with([](Context&) { return std::string("b"); }).text(), "b");
    EXPECT_EQ(call_with([](Greet in) { return in.name; }, R"({"name":"Ada"})").text(), "Ada");
    EXPECT_EQ(call_with([](Greet const& in) { return in.name; }, R"({"name":"Ada"})").text(),
              "Ada");
    EXPECT_EQ(call_with(&greet, R"({"name":"Ada"})").text(), "Hello, Ada");
    EXPECT_EQ(call_with([](JsonObject in) { return in.size(); }, R"({"x":1,"y":2})").text(), "2");
    EXPECT_EQ(
        call_with([](std::map<std::string, int> in) { return in.at("x"); }, R"({"x":7})").text(),
        "7");
    EXPECT_EQ(call_with([](Greet&& in) noexcept { return in.times; }, R"({"name":""})").text(),
              "1");
}

TEST(BindTool, keeps_the_state_of_a_handler_that_cannot_be_copied) {
    auto counter = std::make_unique<int>(0);
    auto const function =
        bind_tool([counter = std::move(counter)]() mutable { return ++*counter; });
    auto const copy = function;
    EXPECT_EQ(call(function, "{}").text(), "1");
    EXPECT_EQ(call(copy, "{}").text(), "2");
}

TEST(BindTool, turns_text_into_text) {
    for (auto const& reply :
         {call_with([] { return std::string_view("view"); }),
          call_with([] { return std::string("view"); }), call_with([] { return "view"; })}) {
        EXPECT_EQ(reply.kind(), ToolReply::Kind::text);
        EXPECT_EQ(reply.text(), "view");
    }
}

template <class T>
std::string structured(T value) {
    auto const reply = call_with([value] { return value; });
    EXPECT_EQ(reply.kind(), ToolReply::Kind::structured);
    return std::string(reply.structured());
}

TEST(BindTool, turns_every_other_value_into_structured_content) {
    EXPECT_EQ(structured(42), "42");
    EXPECT_EQ(structured(1.5), "1.5");
    EXPECT_EQ(structured(true), "true");
    EXPECT_EQ(structured(Color::dark_green), R"("dark-green")");
    EXPECT_EQ(structured(std::vector{1, 2}), "[1,2]");
    EXPECT_EQ(structured(std::set<std::string>{"b", "a"}), R"(["a","b"])");
    EXPECT_EQ(structured(std::pair(1, std::string("x"))), R"([1,"x"])");
    EXPECT_EQ(structured(std::optional<int>()), "null");
    EXPECT_EQ(structured(std::filesystem::path("/a")), R"("/a")");
    EXPECT_EQ(structured(std::chrono::milliseconds(1500)), "1.5");
    EXPECT_EQ(structured(Json(JsonArray{1, "x"})), R"([1,"x"])");
}

TEST(DescribeTool, derives_the_output_schema_of_every_type_but_text) {
    auto const schema = [](auto handler) {
        return describe_tool<decltype(handler)>("x", "").output_schema.text();
    };
    EXPECT_EQ(schema([] { return 1; }), R"({"type":"integer"})");
    EXPECT_EQ(schema([] { return std::vector<bool>(); }),
              R"({"type":"array","items":{"type":"boolean"}})");
    EXPECT_EQ(schema([] { return Color::red; }),
              R"({"type":"string","enum":["red","dark-green"]})");
    EXPECT_EQ(schema([] { return std::string(); }), "");
    EXPECT_EQ(schema([] { return JsonObject(); }), "");
    EXPECT_EQ(schema([] { return Json(); }), "");
    EXPECT_EQ(schema([] {}), "");
}

TEST(BindTool, turns_structs_and_maps_into_structured_content) {
    auto reply = call_with([] { return Greeting{"hi", 2}; });
    EXPECT_EQ(reply.kind(), ToolReply::Kind::structured);
    EXPECT_EQ(reply.structured(), R"({"text":"hi","length":2})");
    reply = call_with([] { return std::map<std::string, int>{{"a", 1}}; });
    EXPECT_EQ(reply.structured(), R"({"a":1})");
    reply = call_with([] { return JsonObject{{"b", true}}; });
    EXPECT_EQ(reply.structured(), R"({"b":true})");
}

TEST(BindTool, passes_composed_results_on) {
    auto reply = call_with([] {
        CallToolResult result;
        result.is_error = true;
        return result;
    });
    EXPECT_EQ(reply.kind(), ToolReply::Kind::result);
    EXPECT_TRUE(reply.result().is_error);
    reply = call_with([] { return ImageContent{"AAAA", "image/png", {}, {}}; });
    EXPECT_TRUE(std::holds_alternative<ImageContent>(reply.result().content.at(0)));
    reply = call_with([] {
        return std::vector<ContentBlock>{TextContent{"a", {}, {}}, TextContent{"b", {}, {}}};
    });
    EXPECT_EQ(reply.result().content.size(), 2U);
    reply = call_with([] { return ContentBlock(TextContent{"c", {}, {}}); });
    EXPECT_EQ(reply.result().content.size(), 1U);
}

TEST(BindTool, returns_no_content_for_void) {
    EXPECT_EQ(call_with([] {}).kind(), ToolReply::Kind::nothing);
    EXPECT_EQ(call_with([]() -> Task<> { co_return; }).kind(), ToolReply::Kind::nothing);
}

TEST(BindTool, reads_the_arguments_of_a_coroutine_before_it_starts) {
    auto const reply = call_with(&greet_later, R"({"name":"Ada, who has a long name indeed"})");
    EXPECT_THAT(reply.structured(), HasSubstr("Hello, Ada, who has a long name indeed"));
}

TEST(BindTool, names_the_bad_argument) {
    try {
        call_with(&greet, R"({"name":"Ada","times":9})");
        FAIL();
    } catch (ToolError const& error) {
        EXPECT_EQ(error.kind(), ToolErrorKind::invalid_arguments);
        EXPECT_STREQ(error.what(), "invalid arguments: /times: must be at most 5, got 9");
    }
    EXPECT_THROW(call_with(&greet_later, R"({"name":7})"), ToolError);
}

TEST(BindTool, refuses_arguments_of_a_tool_that_takes_none) {
    try {
        call_with([] { return "a"; }, R"({"extra":1})");
        FAIL();
    } catch (ToolError const& error) {
        EXPECT_THAT(error.what(), HasSubstr("takes no arguments, got \"extra\""));
    }
}

std::string refused(ToolFunction const& function, std::string_view arguments) {
    try {
        call(function, arguments);
    } catch (ToolError const& error) {
        EXPECT_EQ(error.kind(), ToolErrorKind::invalid_arguments);
        return error.what();
    }
    return "accepted";
}

TEST(UnknownArguments, are_refused_with_the_nearest_name) {
    auto const function = bind_tool(&greet);
    EXPECT_EQ(refused(function, R"({"name":"Ada","tmes":2})"),
              R"x(invalid arguments: unknown property "tmes" (did you mean "times"?))x");
    EXPECT_EQ(refused(bind_tool(&greet_later), R"({"name":"Ada","toolCallId":"1"})"),
              R"(invalid arguments: unknown property "toolCallId")");
    auto const schema = describe_tool<decltype(&greet)>("x", "").input_schema.to_json();
    EXPECT_EQ(schema.at("additionalProperties"), false);
}

TEST(UnknownArguments, are_ignored_if_the_rules_allow_it) {
    ToolRules rules;
    rules.ignore_unknown_arguments = true;
    EXPECT_EQ(refused(bind_tool(&greet, rules), R"({"name":"Ada","tmes":2})"), "accepted");
    EXPECT_EQ(refused(bind_tool([] { return "a"; }, rules), R"({"extra":1})"), "accepted");
    auto const schema = describe_tool<decltype(&greet)>("x", "", rules).input_schema.to_json();
    EXPECT_FALSE(schema.as_object().contains("additionalProperties"));
    auto const nothing = [] {};
    EXPECT_EQ(describe_tool<decltype(nothing)>("x", "", rules).input_schema.text(),
              R"({"type":"object"})");
}

TEST(NullArguments, are_treated_as_absent) {
    auto const times = [](Greet in) { return in.times; };
    EXPECT_EQ(call_with(times, R"({"name":"Ada","times":null})").text(), "1");
    EXPECT_EQ(refused(bind_tool(times), R"({"name":null})"),
              "invalid arguments: /name: must be a string, got null");
    // The schema does not mention null.
    auto const schema = describe_tool<decltype(times)>("x", "").input_schema.to_json();
    EXPECT_EQ(schema.at("properties").at("times").at("type"), "integer");
}

TEST(ToolReply, repeats_structured_content_as_text_if_there_is_no_content) {
    CallToolResult result;
    result.structured_content = RawJson::trusted(R"({"x":1})");
    ToolReply reply;
    reply.set_result(result);
    ASSERT_EQ(reply.result().content.size(), 1U);
    EXPECT_EQ(std::get<TextContent>(reply.result().content[0]).text, R"({"x":1})");
    result.content.emplace_back(ImageContent{"AAAA", "image/png", {}, {}});
    reply.set_result(result);
    EXPECT_EQ(reply.result().content.size(), 1U);
    reply.set_result({});
    EXPECT_TRUE(reply.result().content.empty());
}

TEST(ToolReply, keeps_its_memory_when_cleared) {
    ToolReply reply;
    reply.set_text(std::string(1000, 'x'));
    auto const* place = reply.text().data();
    reply.clear();
    EXPECT_EQ(reply.kind(), ToolReply::Kind::nothing);
    reply.set_text(std::string(900, 'y'));
    EXPECT_EQ(reply.text().data(), place);
}

TEST(DescribeTool, derives_the_schemas_from_the_types) {
    auto const tool = describe_tool<decltype(&greet_later)>("greet", "Say hello");
    EXPECT_EQ(tool.name, "greet");
    EXPECT_EQ(tool.description, "Say hello");
    SchemaOptions closed;
    closed.closed = true;
    EXPECT_EQ(tool.input_schema, RawJson(schema_of<Greet>(closed)));
    EXPECT_EQ(tool.output_schema, schema_text_of<Greeting>());
    auto const plain = describe_tool<decltype(&greet)>("greet", "");
    EXPECT_TRUE(plain.output_schema.empty());
}

TEST(Rule, T04_a_tool_without_arguments_has_an_empty_schema) {
    auto const nothing = [] {};
    EXPECT_EQ(describe_tool<decltype(nothing)>("x", "").input_schema.text(),
              R"({"type":"object","additionalProperties":false})");
}

TEST(ToolOptionsOfATool, show_in_its_description) {
    ToolAnnotations hints;
    hints.read_only_hint = true;
    Icon icon;
    icon.src = "https://example.org/i.png";
    auto const entry =
        server::make_tool_entry(describe_tool<decltype(&greet)>("greet", ""), bind_tool(&greet),
                                ToolOptions()
                                    .title("Greet")
                                    .annotations(hints)
                                    .icon(icon)
                                    .meta(Meta(JsonObject{{"a/b", 1}}))
                                    .timeout(std::chrono::seconds(5))
                                    .max_concurrent(3)
                                    .max_result_bytes(100)
                                    .enabled(false)
                                    .blocking(),
                                server::Typing::typed);
    EXPECT_EQ(entry->tool.title, "Greet");
    EXPECT_EQ(entry->tool.annotations, hints);
    EXPECT_EQ(entry->tool.icons.size(), 1U);
    EXPECT_FALSE(entry->tool.meta.empty());
    EXPECT_EQ(entry->options.timeout(), std::chrono::seconds(5));
    EXPECT_EQ(entry->options.max_concurrent(), 3U);
    EXPECT_EQ(entry->options.max_result_bytes(), 100U);
    EXPECT_EQ(entry->options.dispatch(), Dispatch::blocking);
    EXPECT_EQ(ToolOptions().inline_().dispatch(), Dispatch::inline_);
    EXPECT_FALSE(entry->enabled);
    EXPECT_FALSE(entry->listed());
}

TEST(ToolOptionsOfATool, have_the_hints_of_the_protocol) {
    EXPECT_EQ(ToolOptions().annotations(), std::nullopt);
    auto const harmless =
        ToolOptions().read_only().destructive(false).idempotent().open_world(false);
    ToolAnnotations hints;
    hints.read_only_hint = true;
    hints.destructive_hint = false;
    hints.idempotent_hint = true;
    hints.open_world_hint = false;
    EXPECT_EQ(harmless.annotations(), hints);
    auto const harmful =
        ToolOptions().read_only(false).destructive().idempotent(false).open_world();
    hints.read_only_hint = false;
    hints.destructive_hint = true;
    hints.idempotent_hint = false;
    hints.open_world_hint = true;
    EXPECT_EQ(harmful.annotations(), hints);
}

TEST(ToolOptionsOfATool, keep_other_annotations_if_a_hint_is_set) {
    ToolAnnotations title;
    title.title = "Greet";
    auto const options = ToolOptions().annotations(title).read_only();
    EXPECT_EQ(options.annotations()->title, "Greet");
    EXPECT_EQ(options.annotations()->read_only_hint, true);
    EXPECT_EQ(options.annotations()->destructive_hint, std::nullopt);
}

void expect_refused(Tool tool, ToolOptions options, std::string_view part) {
    try {
        server::make_tool_entry(std::move(tool), bind_tool([] {}), std::move(options),
                                server::Typing::dynamic);
        FAIL() << "accepted";
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        EXPECT_THAT(error.message(), HasSubstr(std::string(part)));
    }
}

Tool dynamic_tool(std::string name, std::string input, std::string output = {}) {
    Tool tool;
    tool.name = std::move(name);
    tool.input_schema = RawJson::trusted(std::move(input));
    tool.output_schema = RawJson::trusted(std::move(output));
    return tool;
}

TEST(AToolIsRefused, with_a_bad_name_schema_or_icon) {
    expect_refused(dynamic_tool("a b", R"({"type":"object"})"), {}, "tool \"a b\": /name");
    expect_refused(dynamic_tool("a", R"({"type":"string"})"), {}, "/inputSchema");
    expect_refused(dynamic_tool("a", R"({"type":"object","properties":{"x":{"minimum":"5"}}})"), {},
                   "inputSchema #/properties/x/minimum");
    expect_refused(dynamic_tool("a", R"({"type":"object"})", R"({"type":"object","required":"x"})"),
                   {}, "outputSchema #/required");
    Icon icon;
    icon.src = "javascript:alert(1)";
    expect_refused(dynamic_tool("a", R"({"type":"object"})"), ToolOptions().icon(icon), "icons: ");
}

template <class Check>
std::string thrown_by(Check check, ToolErrorKind kind) {
    try {
        check();
    } catch (ToolError const& error) {
        EXPECT_EQ(error.kind(), kind);
        return error.what();
    }
    return {};
}

TEST(Checks, apply_the_schema_to_dynamic_arguments) {
    auto const entry = server::make_tool_entry(
        dynamic_tool("a", R"({"type":"object","properties":{"x":{"maximum":5}}})"),
        bind_tool([] {}), {}, server::Typing::dynamic);
    auto const check = [&](std::string_view arguments) {
        json::Document document;
        auto const view = document.parse(arguments).value();
        return thrown_by([&] { server::check_arguments(*entry, view); },
                         ToolErrorKind::invalid_arguments);
    };
    EXPECT_EQ(check(R"({"x":5})"), "");
    EXPECT_EQ(check(R"({"x":6})"), "invalid arguments: /x: must be at most 5, got 6");
}

TEST(Checks, drop_nulls_that_the_schema_does_not_allow) {
    auto const entry = server::make_tool_entry(
        dynamic_tool("a",
                     R"({"type":"object","properties":{)"
                     R"("text":{"type":"string"},"limit":{"$ref":"#/$defs/Limit"},)"
                     R"("near":{"type":["string","null"]},"any":{},"a/b~c":{"type":"integer"},)"
                     R"("must":{"type":"string"}},"required":["must"],)"
                     R"("additionalProperties":{"type":"integer"},)"
                     R"("$defs":{"Limit":{"type":"integer"}}})"),
        bind_tool([] {}), {}, server::Typing::dynamic);
    auto const after = [&](std::string_view arguments) {
        json::Document document;
        auto const own = server::without_nulls(*entry, document.parse(arguments).value());
        return own ? std::string(own->root->raw()) : "unchanged";
    };
    EXPECT_EQ(after(R"({"must":"m","text":null,"near":null,"limit":null,"any":null,"a/b~c":null})"),
              R"({"must":"m","near":null,"any":null})");
    EXPECT_EQ(after(R"({"must":null,"other":null,"text":"t"})"), "unchanged");
    EXPECT_EQ(after("{}"), "unchanged");
    auto const plain = server::make_tool_entry(describe_tool<decltype(&greet)>("a", ""),
                                               bind_tool(&greet), {}, server::Typing::typed);
    EXPECT_TRUE(plain->never_null.empty());
}

TEST(Checks, apply_patterns_to_typed_arguments) {
    auto const handler = [](Code in) { return in.value; };
    auto const entry = server::make_tool_entry(describe_tool<decltype(handler)>("a", ""),
                                               bind_tool(handler), {}, server::Typing::typed);
    json::Document document;
    auto const view = document.parse(R"({"value":"A1"})").value();
    EXPECT_THROW(server::check_arguments(*entry, view), ToolError);
    auto const plain = server::make_tool_entry(describe_tool<decltype(&greet)>("a", ""),
                                               bind_tool(&greet), {}, server::Typing::typed);
    EXPECT_FALSE(plain->input);
    server::check_arguments(*plain, view);
}

TEST(Checks, apply_the_schema_to_structured_output) {
    auto const entry = server::make_tool_entry(
        dynamic_tool("a", R"({"type":"object"})", R"({"type":"object","required":["x"]})"),
        bind_tool([] {}), {}, server::Typing::dynamic);
    ToolReply reply;
    auto const check = [&] {
        return thrown_by([&] { server::check_output(*entry, reply); },
                         ToolErrorKind::schema_invalid);
    };
    reply.set_text("text");
    EXPECT_THAT(check(), HasSubstr("no structured content"));
    reply.begin_structured() = R"({"y":1})";
    EXPECT_THAT(check(), HasSubstr("breaks the output schema"));
    reply.begin_structured() = R"({"x":1})";
    EXPECT_EQ(check(), "");
    reply.begin_structured() = "{";
    EXPECT_THAT(check(), HasSubstr("not JSON"));
    CallToolResult result;
    result.structured_content = RawJson::trusted(R"({"x":1})");
    reply.set_result(result);
    EXPECT_EQ(check(), "");
    result.structured_content = {};
    result.is_error = true;
    reply.set_result(result);
    EXPECT_EQ(check(), "");
}

TEST(Checks, cover_typed_output_only_if_enabled) {
    auto const entry_with = [](ToolOptions options) {
        return server::make_tool_entry(describe_tool<decltype(&greet_later)>("a", ""),
                                       bind_tool(&greet_later), std::move(options),
                                       server::Typing::typed);
    };
    EXPECT_FALSE(entry_with({})->output);
    EXPECT_TRUE(entry_with(ToolOptions().check_output(true))->output);
    auto const own = RawJson::trusted(R"({"type":"object","required":["zzz"]})");
    EXPECT_TRUE(entry_with(ToolOptions().output_schema(own))->output);
    EXPECT_FALSE(entry_with(ToolOptions().output_schema(own).check_output(false))->output);
    ToolReply reply;
    server::check_output(*entry_with({}), reply);
}

}  // namespace
}  // namespace lanyard

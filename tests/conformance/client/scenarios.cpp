#include "client/scenarios.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "lanyard/json/raw_json.hpp"

namespace lanyard::conformance {
namespace {

/// Lists the tools, if the server has any.
Task<> list_tools(Client const& client, ScenarioContext const&) {
    if (client.server_capabilities().tools) co_await client.list_tools();
}

Task<> call_add_numbers(Client const& client, ScenarioContext const&) {
    co_await client.list_tools();
    JsonObject const numbers{{"a", 5}, {"b", 3}};
    co_await client.call_tool("add_numbers", numbers);
}

/// Returns a value that the schema of a property allows.
Json example_of(Json const& schema) {
    auto const* type = schema.is_object() ? schema.get_object().if_contains("type") : nullptr;
    auto const name = type != nullptr && type->is_string() ? std::string(type->get_string()) : "";
    if (name == "integer" || name == "number") return 1;
    if (name == "boolean") return true;
    if (name == "object") return JsonObject();
    if (name == "array") return JsonArray();
    if (name == "null") return nullptr;
    return "test";
}

JsonObject example_arguments(Tool const& tool) {
    JsonObject arguments;
    auto const schema = tool.input_schema.to_json();
    auto const* properties = schema.get_object().if_contains("properties");
    if (properties == nullptr) return arguments;
    for (auto const& property : properties->as_object()) {
        arguments[property.key()] = example_of(property.value());
    }
    return arguments;
}

/// Calls every tool that the server lists.
Task<> call_every_tool(Client const& client, ScenarioContext const&) {
    auto const tools = co_await client.list_tools();
    for (auto const& tool : tools) {
        auto const arguments = example_arguments(tool);
        co_await client.call_tool(tool.name, arguments);
    }
}

Task<> use_every_feature(Client const& client, ScenarioContext const& context) {
    co_await call_every_tool(client, context);
    auto const resources = co_await client.list_resources();
    for (auto const& resource : resources) co_await client.read_resource(resource.uri);
    auto const prompts = co_await client.list_prompts();
    for (auto const& prompt : prompts) {
        std::map<std::string, std::string> arguments;
        for (auto const& argument : prompt.arguments) arguments[argument.name] = "test";
        co_await client.get_prompt(prompt.name, arguments);
    }
}

/// Makes the calls that the context lists.
Task<> call_as_told(Client const& client, ScenarioContext const& context) {
    co_await client.list_tools();
    for (auto const& call : context.at("toolCalls").as_array()) {
        auto const& what = call.as_object();
        auto const* const given = what.if_contains("arguments");
        auto const arguments = given == nullptr ? JsonObject() : given->as_object();
        std::string const name(what.at("name").as_string());
        co_await client.call_tool(name, arguments);
    }
}

Task<> call_for_defaults(Client const& client, ScenarioContext const&) {
    co_await client.list_tools();
    co_await client.call_tool("test_client_elicitation_defaults");
}

Task<> call_for_reconnection(Client const& client, ScenarioContext const&) {
    co_await client.list_tools();
    co_await client.call_tool("test_reconnection");
}

/// The elicitation handler of the first tool calls the unrelated tool.
Task<> keep_request_states_apart(Client const& client, ScenarioContext const&) {
    co_await client.list_tools();
    co_await client.call_tool("test_mrtr_echo_state");
    co_await client.call_tool("test_mrtr_no_state");
    co_await client.call_tool("test_mrtr_no_result_type");
}

/// Sends the schema of one tool as an argument of another tool.
Task<> echo_schema(Client const& client, ScenarioContext const&) {
    auto const tools = co_await client.list_tools();
    for (auto const& tool : tools) {
        if (tool.name != "json_schema_2020_12_tool") continue;
        JsonObject const arguments{{"schema", tool.input_schema.to_json()}};
        co_await client.call_tool("json_schema_echo", arguments);
        co_return;
    }
    throw std::runtime_error("there is no json_schema_2020_12_tool");
}

}  // namespace

std::optional<Scenario> find_scenario(std::string_view name) {
    static std::map<std::string_view, Scenario> const scenarios{
        {"initialize", list_tools},
        {"tools_call", call_add_numbers},
        {"elicitation-sep1034-client-defaults", call_for_defaults},
        {"sse-retry", call_for_reconnection},
        {"request-metadata", list_tools},
        {"sep-2322-client-request-state", keep_request_states_apart},
        {"http-standard-headers", use_every_feature},
        {"http-custom-headers", call_as_told},
        {"http-invalid-tool-headers", call_every_tool},
        {"json-schema-ref-no-deref", list_tools},
        {"json-schema-2020-12-preservation", echo_schema},
    };
    auto const found = scenarios.find(name);
    if (found == scenarios.end()) return std::nullopt;
    return found->second;
}

}  // namespace lanyard::conformance

// conformance-client URL: the client that the official conformance suite tests. The suite sets the
// scenario, the protocol revision and the scenario's data as environment variables.
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "client/scenarios.hpp"
#include "lanyard/http/client.hpp"

namespace lanyard::conformance {
namespace {

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

/// All revisions of the tested era; the server chooses one of them.
std::vector<Version> versions() {
    auto const named = variable("MCP_CONFORMANCE_PROTOCOL_VERSION");
    auto const tested = named.empty() ? newest_version : parse_version(named);
    if (!tested) throw std::runtime_error("there is no protocol revision " + named);
    std::vector<Version> same_era;
    for (auto const version : all_versions) {
        if (era_of(version) == era_of(*tested)) same_era.push_back(version);
    }
    return same_era;
}

ScenarioContext context() {
    auto const text = variable("MCP_CONFORMANCE_CONTEXT");
    if (text.empty()) return {};
    auto parsed = json::parse(text);
    if (!parsed) throw std::runtime_error(parsed.error().to_string());
    return parsed->as_object();
}

/// Accepts a form with its defaults; may call an unrelated tool before that.
Task<ElicitResult> accept(Client const& client, bool call_unrelated) {
    if (call_unrelated) co_await client.call_tool("test_mrtr_unrelated");
    ElicitResult result;
    result.action = ElicitAction::accept;
    result.content.emplace();
    co_return result;
}

CreateMessageResult answer_as_model(CreateMessageParams const&) {
    TextContent text;
    text.text = "This is the answer of a model.";
    CreateMessageResult result;
    result.content.emplace_back(std::move(text));
    result.model = "conformance";
    return result;
}

Task<int> talk(std::string url, std::string scenario_name) {
    auto const scenario = find_scenario(scenario_name);
    if (!scenario) throw std::runtime_error("there is no scenario '" + scenario_name + "'");
    auto const data = context();
    Client client;
    bool const call_unrelated = scenario_name == "sep-2322-client-request-state";
    ClientOptions options("lanyard-conformance", LANYARD_VERSION_STRING);
    options.versions(versions());
    options.on_elicitation([&client, call_unrelated](ElicitFormParams const&) {
        return accept(client, call_unrelated);
    });
    options.on_sampling(answer_as_model);
    options.roots({});
    options.on_diagnostic([](std::string_view text) { std::cerr << text << '\n'; });
    auto connector = http_connector(std::move(url));
    client = co_await connect(std::move(connector), options);
    co_await (*scenario)(client, data);
    co_await client.stop();
    co_return EXIT_SUCCESS;
}

}  // namespace
}  // namespace lanyard::conformance

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: conformance-client URL, with MCP_CONFORMANCE_SCENARIO set\n";
        return EXIT_FAILURE;
    }
    using namespace lanyard::conformance;
    return lanyard::run(talk(argv[1], variable("MCP_CONFORMANCE_SCENARIO")));
}

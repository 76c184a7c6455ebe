// A conversation that touches every kind of message: opening, lists, calls, progress, questions,
// notifications, closing.
#pragma once

#include <memory>
#include <string>

#include "lanyard/client.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::test {

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, (text, "Anything"))

struct Sure {
    bool really;
};
LANYARD_STRUCT(Sure, (really, "Whether to go on"))

inline ElicitResult accept(ElicitFormParams const&) {
    ElicitResult result;
    result.action = ElicitAction::accept;
    JsonObject content;
    content["really"] = true;
    result.content = std::move(content);
    return result;
}

/// Talks to conversation_server in this revision. Throws the exception of a failed call.
inline Task<> converse(std::unique_ptr<Connector> connector, Version version) {
    ClientOptions options("conversation", "1");
    std::vector<Version> const only = {version};
    options.versions(only).preferred_version(version).on_elicitation(accept);
    auto const client = co_await connect(std::move(connector), options);
    auto const tools = co_await client.list_tools();
    Text work;
    for (auto const& tool : tools) {
        work.text = tool.name;
        CallOptions call;
        call.on_progress([](ProgressParams const&) {});
        auto const text = co_await client.call<std::string>(tool.name, work, call);
        if (text != tool.name) throw std::runtime_error("a wrong answer: " + text);
    }
    co_await client.stop();
}

}  // namespace lanyard::test

// Prompts that the suite requests, and completion (server/prompts, server/utilities/completion).
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lanyard/reflect.hpp"
#include "server/content.hpp"
#include "server/fixtures.hpp"

namespace lanyard::conformance {

struct TwoArguments {
    std::string arg1;
    std::string arg2;
};
LANYARD_STRUCT(TwoArguments, (arg1, "The first argument"), (arg2, "The second argument"))

struct ResourceArgument {
    std::string resource_uri;
};
LANYARD_STRUCT(ResourceArgument, (resource_uri, name{"resourceUri"}, "What to embed"))

struct Topic {
    std::string context;
};
LANYARD_STRUCT(Topic, (context, "What the prompt should be about"))

namespace {

PromptMessage from_user(ContentBlock content) {
    PromptMessage message;
    message.content = std::move(content);
    return message;
}

std::vector<PromptMessage> with_resource(ResourceArgument in) {
    std::vector<PromptMessage> messages;
    messages.push_back(from_user(embedded(std::move(in.resource_uri), "text/plain",
                                          "Embedded resource content for testing.")));
    messages.push_back(from_user(text("Please process the embedded resource above.")));
    return messages;
}

std::vector<PromptMessage> with_image() {
    std::vector<PromptMessage> messages;
    messages.push_back(from_user(image()));
    messages.push_back(from_user(text("Please analyze the image above.")));
    return messages;
}

Task<std::string> after_asking(Context& context) {
    auto const topic =
        co_await context.elicit<Topic>("user_context", "What context should the prompt use?");
    co_return "Use the following context: " + (topic ? topic->context : "none");
}

std::vector<std::string> complete(std::string_view typed) {
    std::vector<std::string> values;
    for (std::string_view const value : {"paris", "test", "testing"}) {
        if (value.starts_with(typed)) values.emplace_back(value);
    }
    return values;
}

}  // namespace

void add_prompts(Server& server) {
    server.prompt("test_simple_prompt", "Has no arguments",
                  [] { return "This is a simple prompt for testing."; });
    server.prompt("test_prompt_with_arguments", "Repeats its arguments", [](TwoArguments in) {
        return "Prompt with arguments: arg1='" + in.arg1 + "', arg2='" + in.arg2 + "'";
    });
    server.complete_prompt("test_prompt_with_arguments", "arg1", complete);
    server.prompt("test_prompt_with_embedded_resource", "Holds a resource", with_resource);
    server.prompt("test_prompt_with_image", "Holds an image", with_image);
    server.prompt("test_input_required_result_prompt", "Asks the user first", after_asking);
}

}  // namespace lanyard::conformance

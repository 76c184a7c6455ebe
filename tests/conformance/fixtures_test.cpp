// The fixtures of the conformance suite, called by our own client over every transport, in both
// eras.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "server/fixtures.hpp"
#include "support/answers.hpp"
#include "support/carriers.hpp"

namespace lanyard::conformance {
namespace {

constexpr Era eras[] = {Era::legacy, Era::modern};

/// A client that answers every question, and records the questions and log messages.
struct Witness {
    std::vector<ElicitFormParams> forms;
    std::vector<std::string> logged;
    JsonObject answer{{"name", "Ada"},    {"color", "red"},    {"ok", true},
                      {"approved", true}, {"username", "ada"}, {"email", "a@b.c"},
                      {"context", "tea"}};

    ClientOptions options() {
        ClientOptions options;
        options.on_elicitation([this](ElicitFormParams const& form) {
            forms.push_back(form);
            return test::accept_form(form, answer);
        });
        test::answer_sampling_and_roots(options);
        options.on_log([this](LoggingMessageParams const& message) {
            logged.emplace_back(message.data.as_string());
        });
        return options;
    }
};

/// Runs the body with a client of the fixtures over every transport, in each era.
void in_both_eras(std::function<Task<>(Client&, Witness&)> const& body) {
    static test::Certificates const files;
    auto kinds = test::carrier_kinds(files);
    auto const in_a_child = [](Server&) -> std::unique_ptr<test::Carrier> {
        return std::make_unique<test::ChildCarrier>(LANYARD_CONFORMANCE_SERVER, "--stdio");
    };
    kinds.push_back({"child process", in_a_child});
    for (auto const& kind : kinds) {
        for (auto const era : eras) {
            SCOPED_TRACE(kind.name + (era == Era::modern ? ", modern" : ", legacy"));
            auto const server = make_server();
            auto const carrier = kind.make(*server);
            Witness witness;
            auto const talk = [&]() -> Task<int> {
                auto options = witness.options();
                auto client = co_await carrier->connect(era, std::move(options));
                co_await body(client, witness);
                client.close();
                co_await client.closed();
                co_return 0;
            };
            EXPECT_EQ(run(talk()), 0);
        }
    }
}

TEST(ConformanceFixtures, tools_return_the_texts_the_suite_expects) {
    std::map<std::string, std::string> const expected{
        {"test_simple_text", "This is a simple text response for testing."},
        {"test_tool_with_progress", "Tool with progress executed successfully"},
        {"test_elicitation_sep1034_defaults", "Elicitation completed: action=accept, content={"},
        {"test_elicitation_sep1330_enums", "Elicitation completed: action=accept, content={}"},
        {"test_input_required_result_elicitation", "Hello, Ada!"},
        {"test_input_required_result_sampling", "The model says: Paris"},
        {"test_input_required_result_list_roots", "1 roots: file:///work"},
        {"test_input_required_result_request_state", "state-ok, confirmed"},
        {"test_input_required_result_multiple_inputs", "Hello, Ada! Paris 1 roots: file:///work"},
        {"test_input_required_result_multi_round", "Hello, Ada! You like red."},
        {"test_input_required_result_tampered_state", "state-ok, confirmed"},
        {"test_input_required_result_capabilities", "The model says: Paris. Hello, Ada!"},
        {"test_missing_capability", "Paris"},
        {"test_streaming_elicitation", "accept"},
        {"test_logging_tool", "Logged"},
        {"test_reconnection", "Reconnection test completed successfully"},
    };
    in_both_eras([&](Client& client, Witness&) -> Task<> {
        for (auto const& [tool, text] : expected) {
            auto const result = co_await client.call_tool(tool);
            EXPECT_FALSE(result.is_error) << tool << ": " << text_of(result);
            EXPECT_TRUE(text_of(result).starts_with(text)) << tool << ": " << text_of(result);
        }
    });
}

TEST(ConformanceFixtures, tools_accept_their_arguments) {
    in_both_eras([](Client& client, Witness& witness) -> Task<> {
        JsonObject const prompt{{"prompt", "What is the capital of France?"}};
        auto const sampled = co_await client.call_tool("test_sampling", prompt);
        EXPECT_EQ(text_of(sampled), "LLM response: Paris");
        JsonObject const message{{"message", "Who are you?"}};
        auto const elicited = co_await client.call_tool("test_elicitation", message);
        EXPECT_TRUE(text_of(elicited).starts_with("User response: action=accept"));
        EXPECT_EQ(witness.forms.at(0).message, "Who are you?");
        JsonObject const region{{"region", "north"}};
        auto const placed = co_await client.call_tool("test_x_mcp_header", region);
        EXPECT_EQ(text_of(placed), "Region north");
    });
}

TEST(ConformanceFixtures, content_has_its_types) {
    in_both_eras([](Client& client, Witness&) -> Task<> {
        auto const image = co_await client.call_tool("test_image_content");
        EXPECT_EQ(std::get<ImageContent>(image.content.at(0)).mime_type, "image/png");
        auto const sound = co_await client.call_tool("test_audio_content");
        EXPECT_EQ(std::get<AudioContent>(sound.content.at(0)).mime_type, "audio/wav");
        auto const embedded = co_await client.call_tool("test_embedded_resource");
        auto const& resource = std::get<EmbeddedResource>(embedded.content.at(0)).resource;
        EXPECT_EQ(std::get<TextResourceContents>(resource).uri, "test://embedded-resource");
        auto const mixed = co_await client.call_tool("test_multiple_content_types");
        EXPECT_EQ(mixed.content.size(), 3U);
        auto const failed = co_await client.call_tool("test_error_handling");
        EXPECT_TRUE(failed.is_error);
        EXPECT_EQ(text_of(failed), "This tool intentionally returns an error for testing");
    });
}

TEST(ConformanceFixtures, progress_and_log_messages_come_while_the_tool_runs) {
    in_both_eras([](Client& client, Witness& witness) -> Task<> {
        std::vector<double> progress;
        CallOptions options;
        options.on_progress([&](ProgressParams const& step) { progress.push_back(step.progress); });
        co_await client.call_tool("test_tool_with_progress", RawJson(), options);
        EXPECT_EQ(progress, (std::vector<double>{0, 50, 100}));
        if (era_of(client.version()) == Era::legacy) {
            co_await client.set_log_level(LoggingLevel::debug);
            co_await client.call_tool("test_tool_with_logging");
            EXPECT_EQ(witness.logged.size(), 3U);
        }
    });
}

TEST(ConformanceFixtures, lists_change_on_demand) {
    in_both_eras([](Client& client, Witness&) -> Task<> {
        auto const before = co_await client.list_tools();
        co_await client.call_tool("test_trigger_tool_change");
        auto const between = co_await client.list_tools();
        EXPECT_EQ(between.size(), before.size() + 1);
        co_await client.call_tool("test_trigger_tool_change");
        auto const after = co_await client.list_tools();
        EXPECT_EQ(after.size(), before.size());
        auto const prompts = co_await client.list_prompts();
        co_await client.call_tool("test_trigger_prompt_change");
        auto const more = co_await client.list_prompts();
        EXPECT_EQ(more.size(), prompts.size() + 1);
    });
}

TEST(ConformanceFixtures, resources_and_prompts_exist) {
    in_both_eras([](Client& client, Witness&) -> Task<> {
        auto const fixed = co_await client.read_resource("test://static-text");
        EXPECT_EQ(std::get<TextResourceContents>(fixed.contents.at(0)).mime_type, "text/plain");
        auto const binary = co_await client.read_resource("test://static-binary");
        EXPECT_EQ(std::get<BlobResourceContents>(binary.contents.at(0)).mime_type, "image/png");
        auto const item = co_await client.read_resource("test://template/123/data");
        auto const& data = std::get<TextResourceContents>(item.contents.at(0)).text;
        EXPECT_NE(data.find("123"), std::string::npos) << data;
        std::map<std::string, std::string> const arguments{{"arg1", "one"}, {"arg2", "two"}};
        auto const prompt = co_await client.get_prompt("test_prompt_with_arguments", arguments);
        EXPECT_EQ(std::get<TextContent>(prompt.messages.at(0).content).text,
                  "Prompt with arguments: arg1='one', arg2='two'");
        auto const asked = co_await client.get_prompt("test_input_required_result_prompt");
        EXPECT_EQ(std::get<TextContent>(asked.messages.at(0).content).text,
                  "Use the following context: tea");
        auto const completed =
            co_await client.complete_prompt("test_prompt_with_arguments", "arg1", "test");
        EXPECT_EQ(completed.values, (std::vector<std::string>{"test", "testing"}));
    });
}

}  // namespace
}  // namespace lanyard::conformance

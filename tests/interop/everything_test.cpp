// Our client against @modelcontextprotocol/server-everything, through every feature it has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stop_token>

#include "interop/http_peer.hpp"
#include "interop/peer_process.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::interop {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

Root root(std::string uri, std::string name) {
    Root made;
    made.uri = std::move(uri);
    made.name = std::move(name);
    return made;
}

// The transport to the server.
enum class Carrier { stdio, streamable_http, http_with_sse };

class Everything : public testing::TestWithParam<Carrier> {
protected:
    static void TearDownTestSuite() { peer_.reset(); }

    // One process serves all tests of a transport.
    static std::unique_ptr<Connector> reach(Carrier carrier) {
        constexpr auto script = "server-everything/dist/index.js";
        if (carrier == Carrier::stdio) return child_process(npm_server(script, {"stdio"}));
        bool const events = carrier == Carrier::http_with_sse;
        if (!peer_ || served_ != carrier) {
            peer_.reset();
            peer_ = std::make_unique<HttpPeer>(std::string("@modelcontextprotocol/") + script,
                                               events ? "sse" : "streamableHttp");
            served_ = carrier;
        }
        return http_connector(peer_->url(events ? "/sse" : "/mcp"));
    }

    blocking::Client connect() {
        ClientOptions options("lanyard-interop", "1");
        options.roots({root("file:///tmp/a", "a")});
        options.on_elicitation([this](ElicitFormParams form) {
            forms_.push(form);
            ElicitResult result;
            result.action = action_;
            if (action_ == ElicitAction::accept) {
                result.content = JsonObject{{"name", "Ada"}, {"check", true}};
            }
            return result;
        });
        options.on_url_elicitation([this](ElicitUrlParams page) {
            pages_.push(page);
            ElicitResult result;
            result.action = ElicitAction::accept;
            return result;
        });
        options.on_sampling([this](CreateMessageParams params) {
            questions_.push(params);
            TextContent text;
            text.text = "forty-two";
            CreateMessageResult result;
            result.content = {text};
            result.model = "test-model";
            return result;
        });
        options.on_log([this](LoggingMessageParams message) { logs_.push(std::move(message)); });
        options.on_resource_updated([this](std::string uri) { updates_.push(std::move(uri)); });
        options.on_list_changed([this](ListKind kind) { changes_.push(kind); });
        options.on_diagnostic(
            [this](std::string_view text) { diagnostics_.push(std::string(text)); });
        return blocking::connect(reach(GetParam()), options);
    }

    static inline std::unique_ptr<HttpPeer> peer_;
    static inline Carrier served_ = Carrier::stdio;

    ElicitAction action_ = ElicitAction::accept;
    Inbox<ElicitFormParams> forms_;
    Inbox<ElicitUrlParams> pages_;
    Inbox<CreateMessageParams> questions_;
    Inbox<LoggingMessageParams> logs_;
    Inbox<std::string> updates_;
    Inbox<ListKind> changes_;
    Inbox<std::string> diagnostics_;
};

TEST_P(Everything, is_detected_as_legacy) {
    auto const client = connect();
    EXPECT_EQ(client.version(), Version::v2025_11_25);
    EXPECT_THAT(client.server_info().name, HasSubstr("everything"));
    EXPECT_THAT(client.instructions(), HasSubstr("Everything"));
    EXPECT_TRUE(client.server_capabilities().tools);
    EXPECT_TRUE(client.server_capabilities().prompts);
    EXPECT_TRUE(client.server_capabilities().resources);
    EXPECT_TRUE(client.server_capabilities().completions);
    EXPECT_TRUE(client.server_capabilities().logging);
    client.ping();
}

TEST_P(Everything, lists_its_tools) {
    auto const client = connect();
    // The tools that depend on the client's capabilities are registered after initialization.
    std::set<std::string> names;
    auto const complete = [&] {
        names.clear();
        for (auto const& tool : client.list_tools()) names.insert(tool.name);
        return names.contains("trigger-url-elicitation") &&
               names.contains("trigger-sampling-request");
    };
    if (!complete()) {
        ASSERT_TRUE(changes_.find([](ListKind kind) { return kind == ListKind::tools; }));
    }
    EXPECT_TRUE(complete());
    EXPECT_THAT(names,
                IsSupersetOf({"echo", "get-sum", "get-tiny-image", "get-annotated-message",
                              "get-resource-links", "get-resource-reference", "get-roots-list",
                              "get-structured-content", "trigger-long-running-operation",
                              "trigger-elicitation-request"}));
}

TEST_P(Everything, calls_tools) {
    auto const client = connect();
    client.list_tools();
    EXPECT_EQ(text_of(client.call_tool("echo", json(R"({"message":"grün 🙂"})"))), "Echo: grün 🙂");
    EXPECT_THAT(text_of(client.call_tool("get-sum", json(R"({"a":2,"b":3})"))), HasSubstr("5"));
    auto const weather =
        client.call_tool("get-structured-content", json(R"({"location":"Chicago"})"));
    auto const structured = weather.structured_content.to_json().as_object();
    EXPECT_TRUE(structured.at("temperature").is_number());
    EXPECT_TRUE(structured.contains("conditions"));
    EXPECT_THAT(text_of(client.call_tool("get-env")), HasSubstr("PATH"));
    auto const wrong = client.call_tool("get-sum", json(R"({"a":"x","b":3})"));
    EXPECT_TRUE(wrong.is_error);
}

TEST_P(Everything, returns_images_and_annotations) {
    auto const client = connect();
    auto const picture = client.call_tool("get-tiny-image");
    ASSERT_EQ(picture.content.size(), 3U);
    auto const& image = std::get<ImageContent>(picture.content[1]);
    EXPECT_EQ(image.mime_type, "image/png");
    EXPECT_TRUE(base64::decode(image.data)->starts_with("\x89PNG"));
    auto const message = client.call_tool("get-annotated-message",
                                          json(R"({"messageType":"error","includeImage":true})"));
    ASSERT_EQ(message.content.size(), 2U);
    auto const& annotations = std::get<TextContent>(message.content[0]).annotations;
    ASSERT_TRUE(annotations);
    EXPECT_EQ(annotations->priority, 1.0);
    EXPECT_THAT(annotations->audience, ElementsAre(Role::user, Role::assistant));
}

TEST_P(Everything, returns_links_and_resources) {
    auto const client = connect();
    auto const links = client.call_tool("get-resource-links", json(R"({"count":4})"));
    ASSERT_EQ(links.content.size(), 5U);
    auto const& link = std::get<ResourceLink>(links.content[2]).resource;
    EXPECT_EQ(client.read_resource(link.uri).contents.size(), 1U);
    auto const reference = client.call_tool("get-resource-reference",
                                            json(R"({"resourceType":"Blob","resourceId":3})"));
    auto const& embedded = std::get<EmbeddedResource>(reference.content.at(1));
    EXPECT_TRUE(std::holds_alternative<BlobResourceContents>(embedded.resource));
}

TEST_P(Everything, reports_progress) {
    auto const client = connect();
    std::vector<double> steps;
    auto const result =
        client.call_tool("trigger-long-running-operation", json(R"({"duration":0.4,"steps":4})"),
                         CallOptions().on_progress([&](ProgressParams const& step) {
                             EXPECT_EQ(step.total, 4);
                             steps.push_back(step.progress);
                         }));
    EXPECT_THAT(text_of(result), HasSubstr("completed"));
    EXPECT_THAT(steps, ElementsAre(1, 2, 3, 4));
}

TEST_P(Everything, calls_are_cancelled) {
    auto const client = connect();
    std::stop_source stop;
    try {
        client.call_tool(
            "trigger-long-running-operation", json(R"({"duration":3,"steps":30})"),
            CallOptions().stop_token(stop.get_token()).on_progress([&](ProgressParams const&) {
                stop.request_stop();
            }));
        FAIL() << "the call was not cancelled";
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::cancelled)) << error.what();
    }
    EXPECT_EQ(text_of(client.call_tool("echo", json(R"({"message":"on"})"))), "Echo: on");
}

TEST_P(Everything, calls_time_out) {
    auto const client = connect();
    try {
        client.call_tool("trigger-long-running-operation", json(R"({"duration":2,"steps":1})"),
                         CallOptions().timeout(std::chrono::milliseconds(200)));
        FAIL() << "the call did not time out";
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::timeout)) << error.what();
    }
    EXPECT_EQ(text_of(client.call_tool("echo", json(R"({"message":"on"})"))), "Echo: on");
}

TEST_P(Everything, elicits_with_a_form) {
    auto const client = connect();
    auto const accepted = text_of(client.call_tool("trigger-elicitation-request"));
    EXPECT_THAT(accepted, HasSubstr("- Name: Ada"));
    EXPECT_THAT(accepted, HasSubstr("- Favorite Integer: 42")) << "defaults are filled in";
    EXPECT_THAT(accepted, HasSubstr("\"titledMultipleSelectEnum\": [\n      \"fish-1\""));
    auto const form = forms_.find([](auto const&) { return true; });
    ASSERT_TRUE(form);
    EXPECT_EQ(form->requested_schema.fields.size(), 13U);
    action_ = ElicitAction::decline;
    EXPECT_THAT(text_of(client.call_tool("trigger-elicitation-request")), HasSubstr("declined"));
    action_ = ElicitAction::cancel;
    EXPECT_THAT(text_of(client.call_tool("trigger-elicitation-request")), HasSubstr("cancelled"));
}

TEST_P(Everything, elicits_with_a_url) {
    auto const client = connect();
    auto const result =
        client.call_tool("trigger-url-elicitation", json(R"({"url":"https://example.com/a"})"));
    EXPECT_THAT(text_of(result), HasSubstr("completed the URL elicitation"));
    auto const page = pages_.find([](auto const&) { return true; });
    ASSERT_TRUE(page);
    EXPECT_EQ(page->url, "https://example.com/a");
    EXPECT_FALSE(page->elicitation_id.empty());
}

TEST_P(Everything, requires_a_url_with_an_error) {
    auto const client = connect();
    try {
        client.call_tool("trigger-url-elicitation",
                         json(R"({"url":"https://example.com/b","errorPath":true})"));
    } catch (Error const& error) {
        EXPECT_EQ(error.peer_code(), -32042);
        EXPECT_THAT(error.data(), HasSubstr("https://modelcontextprotocol.io"));
    }
    // A second call with the same arguments succeeds.
    auto const again = client.call_tool(
        "trigger-url-elicitation", json(R"({"url":"https://example.com/b","errorPath":true})"));
    EXPECT_THAT(text_of(again), HasSubstr("completed the URL elicitation"));
}

TEST_P(Everything, requests_sampling) {
    auto const client = connect();
    auto const result = client.call_tool("trigger-sampling-request",
                                         json(R"({"prompt":"six times seven","maxTokens":7})"));
    EXPECT_THAT(text_of(result), HasSubstr("forty-two"));
    auto const question = questions_.find([](auto const&) { return true; });
    ASSERT_TRUE(question);
    EXPECT_EQ(question->max_tokens, 7);
    EXPECT_EQ(question->system_prompt, "You are a helpful test server.");
}

TEST_P(Everything, requests_roots) {
    auto const client = connect();
    EXPECT_THAT(text_of(client.call_tool("get-roots-list")), HasSubstr("file:///tmp/a"));
    client.set_roots({root("file:///tmp/b", "b"), root("file:///tmp/c", "c")});
    // The server requests the roots again after the notification, at a time we cannot observe.
    std::string roots;
    for (int attempt = 0; attempt < 200 && roots.find("2 total") == std::string::npos; ++attempt) {
        roots = text_of(client.call_tool("get-roots-list"));
    }
    EXPECT_THAT(roots, HasSubstr("file:///tmp/c"));
}

TEST_P(Everything, reads_resources) {
    auto const client = connect();
    auto const resources = client.list_resources();
    ASSERT_FALSE(resources.empty());
    auto const contents = client.read_resource(resources.front().uri).contents;
    EXPECT_FALSE(std::get<TextResourceContents>(contents.at(0)).text.empty());
    auto const templates = client.list_resource_templates();
    ASSERT_EQ(templates.size(), 2U);
    EXPECT_THAT(templates.front().uri_template, HasSubstr("{resourceId}"));
    auto const text = client.read_resource("demo://resource/dynamic/text/7").contents.at(0);
    EXPECT_THAT(std::get<TextResourceContents>(text).text, HasSubstr("7"));
    auto const blob = client.read_resource("demo://resource/dynamic/blob/8").contents.at(0);
    EXPECT_TRUE(base64::decode(std::get<BlobResourceContents>(blob).blob));
    EXPECT_THROW(client.read_resource("demo://no/such/thing"), Error);
}

TEST_P(Everything, adds_resources_while_it_runs) {
    auto const client = connect();
    auto const added = client.call_tool(
        "gzip-file-as-resource",
        json(R"({"name":"hello.gz","data":"data:text/plain,hello","outputType":"resourceLink"})"));
    auto const& link = std::get<ResourceLink>(added.content.at(0)).resource;
    ASSERT_TRUE(changes_.find([](ListKind kind) { return kind == ListKind::resources; }));
    std::vector<std::string> uris;
    for (auto const& resource : client.list_resources()) uris.push_back(resource.uri);
    EXPECT_THAT(uris, Contains(link.uri));
    auto const contents = client.read_resource(link.uri).contents.at(0);
    EXPECT_TRUE(
        base64::decode(std::get<BlobResourceContents>(contents).blob)->starts_with("\x1F\x8B"));
}

TEST_P(Everything, notifies_of_updates) {
    auto const client = connect();
    std::string const uri = "demo://resource/dynamic/text/1";
    client.subscribe(uri);
    client.call_tool("toggle-subscriber-updates");
    EXPECT_TRUE(updates_.find([&](std::string const& each) { return each == uri; }));
    client.call_tool("toggle-subscriber-updates");
    client.unsubscribe(uri);
}

TEST_P(Everything, sends_log_messages) {
    auto const client = connect();
    client.set_log_level(LoggingLevel::debug);
    client.subscribe("demo://resource/dynamic/text/1");
    EXPECT_TRUE(logs_.find([](LoggingMessageParams const& message) {
        return message.data.is_string() &&
               message.data.get_string().find("Subscribe") != std::string::npos;
    }));
    client.call_tool("toggle-simulated-logging");
    EXPECT_TRUE(logs_.find([](LoggingMessageParams const& message) {
        return message.data.is_string() &&
               message.data.get_string().find("message") != std::string::npos;
    }));
    client.call_tool("toggle-simulated-logging");
}

TEST_P(Everything, has_prompts) {
    auto const client = connect();
    std::vector<std::string> names;
    for (auto const& prompt : client.list_prompts()) names.push_back(prompt.name);
    EXPECT_THAT(names, IsSupersetOf({"simple-prompt", "args-prompt", "completable-prompt",
                                     "resource-prompt"}));
    EXPECT_EQ(client.get_prompt("simple-prompt").messages.size(), 1U);
    auto const weather = client.get_prompt("args-prompt", {{"city", "Oslo"}});
    EXPECT_THAT(std::get<TextContent>(weather.messages.at(0).content).text, HasSubstr("Oslo"));
    auto const resource =
        client.get_prompt("resource-prompt", {{"resourceType", "Text"}, {"resourceId", "5"}});
    EXPECT_TRUE(std::holds_alternative<EmbeddedResource>(resource.messages.at(1).content));
    try {
        client.get_prompt("args-prompt");
        FAIL() << "the argument city is required";
    } catch (Error const& error) {
        EXPECT_EQ(error.peer_code(), -32602);
    }
}

TEST_P(Everything, completes_arguments) {
    auto const client = connect();
    EXPECT_THAT(client.complete_prompt("completable-prompt", "department", "S").values,
                ElementsAre("Sales", "Support"));
    EXPECT_THAT(
        client.complete_prompt("completable-prompt", "name", "", {{"department", "Sales"}}).values,
        ElementsAre("David", "Eve", "Frank"));
    auto const templates = client.list_resource_templates();
    EXPECT_NO_THROW(client.complete_resource(templates.front().uri_template, "resourceId", "1"));
}

TEST_P(Everything, runs_tasks) {
    auto const client = connect();
    auto const task =
        client.start_tool_task("simulate-research-query", json(R"({"topic":"lanyards"})"));
    EXPECT_EQ(client.get_task(task.task_id).task.task_id, task.task_id);
    std::vector<std::string> ids;
    for (auto const& each : client.list_tasks()) ids.push_back(each.task_id);
    EXPECT_THAT(ids, Contains(task.task_id));
    auto const result = client.task_result(task.task_id);
    EXPECT_THAT(text_of(result), HasSubstr("lanyards"));
    auto const cancelled =
        client.start_tool_task("simulate-research-query", json(R"({"topic":"ropes"})"));
    client.cancel_task(cancelled.task_id);
    EXPECT_EQ(client.get_task(cancelled.task_id).task.status, TaskStatus::cancelled);
}

TEST_P(Everything, answers_many_calls_at_a_time) {
    auto const client = connect();
    std::vector<CallToolParams> calls;
    for (int i = 0; i < 100; ++i) {
        CallToolParams call;
        call.name = "get-sum";
        call.arguments = json(R"({"a":1000,"b":)" + std::to_string(i) + "}");
        calls.push_back(std::move(call));
    }
    auto const results = client.call_all(calls);
    ASSERT_EQ(results.size(), calls.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        ASSERT_TRUE(results[i]);
        EXPECT_THAT(text_of(*results[i]), HasSubstr(std::to_string(1000 + i)));
    }
}

TEST_P(Everything, refuses_unknown_names) {
    auto const client = connect();
    // For an unknown tool, some versions of the SDK return an error, others a failed result.
    try {
        EXPECT_TRUE(client.call_tool("no-such-tool").is_error);
    } catch (Error const& error) {
        EXPECT_EQ(error.peer_code(), -32602);
    }
    EXPECT_THROW(client.get_prompt("no-such-prompt"), Error);
    try {
        client.request("no/such/method");
        FAIL() << "there is no such method";
    } catch (Error const& error) {
        EXPECT_EQ(error.peer_code(), -32601);
    }
}

INSTANTIATE_TEST_SUITE_P(Over, Everything,
                         testing::Values(Carrier::stdio, Carrier::streamable_http,
                                         Carrier::http_with_sse),
                         [](auto const& info) {
                             switch (info.param) {
                                 case Carrier::stdio:
                                     return "stdio";
                                 case Carrier::streamable_http:
                                     return "streamable_http";
                                 default:
                                     return "http_with_sse";
                             }
                         });

}  // namespace
}  // namespace lanyard::interop

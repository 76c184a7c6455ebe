// Deviations of peers from the protocol and how they are read: null for absent members, entries
// that cannot be read, unknown kinds and members.
#include <gtest/gtest.h>

#include "lanyard/protocol/methods.hpp"
#include "wire/codec.hpp"

namespace lanyard::wire {
namespace {

/// Reads the result and writes it again; returns the text, or the error.
template <class T>
std::string result_again(std::string const& text, Version version = Version::v2025_11_25,
                         std::vector<DecodeError>* skipped = nullptr) {
    json::Document document;
    auto const view = document.parse(text);
    if (!view) return view.error().to_string();
    auto const result = decode_result<T>(*view, version, skipped);
    if (!result) return result.error().to_string();
    std::string out;
    json::Writer writer(out);
    auto const written = encode_result(writer, *result, {.version = version});
    return written ? out : written.error().message();
}

template <class T>
std::string params_again(std::string const& text, Version version = Version::v2025_11_25) {
    json::Document document;
    auto const view = document.parse(text);
    if (!view) return view.error().to_string();
    auto const params = decode_params<T>(*view, version);
    if (!params) return params.error().to_string();
    std::string out;
    json::Writer writer(out);
    auto const written = encode_params(writer, *params, {.version = version});
    return written ? out : written.error().message();
}

TEST(Tolerance, null_for_an_absent_member_of_a_result_is_read_and_never_written) {
    for (auto const version : {Version::v2024_11_05, Version::v2025_11_25}) {
        EXPECT_EQ(
            result_again<ListToolsResult>(
                R"({"tools":[{"name":"t","title":null,"description":null,"inputSchema":)"
                R"({"type":"object"},"outputSchema":null,"annotations":null,"execution":null,)"
                R"("icons":null,"_meta":null}],"nextCursor":null,"_meta":null})",
                version),
            R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})");
        EXPECT_EQ(result_again<CallToolResult>(
                      R"({"content":[{"type":"text","text":"a","annotations":null,"_meta":null}],)"
                      R"("structuredContent":null,"isError":null,"_meta":null})",
                      version),
                  R"({"content":[{"type":"text","text":"a"}]})");
        EXPECT_EQ(result_again<ListResourcesResult>(
                      R"({"resources":[{"uri":"a:b","name":"r","mimeType":null,"size":null,)"
                      R"("annotations":null}],"nextCursor":null})",
                      version),
                  R"({"resources":[{"uri":"a:b","name":"r"}]})");
        EXPECT_EQ(
            result_again<ReadResourceResult>(
                R"({"contents":[{"uri":"a:b","mimeType":null,"text":"x","blob":null}]})", version),
            R"({"contents":[{"uri":"a:b","text":"x"}]})");
        EXPECT_EQ(result_again<ListPromptsResult>(
                      R"({"prompts":[{"name":"p","description":null,"arguments":[)"
                      R"({"name":"a","description":null,"required":null}]}]})",
                      version),
                  R"({"prompts":[{"name":"p","arguments":[{"name":"a"}]}]})");
        EXPECT_EQ(result_again<InitializeResult>(
                      R"({"protocolVersion":"2025-11-25","capabilities":{"tools":null,)"
                      R"("logging":null,"resources":{"subscribe":null},"experimental":null},)"
                      R"("serverInfo":{"name":"s","version":"1","title":null},)"
                      R"("instructions":null})",
                      version),
                  R"({"protocolVersion":"2025-11-25","capabilities":{"resources":{}},)"
                  R"("serverInfo":{"name":"s","version":"1"}})");
    }
}

TEST(Tolerance, null_for_an_absent_annotation_is_read) {
    EXPECT_EQ(result_again<CallToolResult>(
                  R"({"content":[{"type":"text","text":"a","annotations":{"audience":null,)"
                  R"("priority":null,"lastModified":null}}]})"),
              R"({"content":[{"type":"text","text":"a","annotations":{}}]})");
    EXPECT_EQ(result_again<ListToolsResult>(
                  R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":)"
                  R"({"title":null,"readOnlyHint":null}}]})"),
              R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{}}]})");
}

TEST(Tolerance, null_for_an_absent_member_of_a_request_is_read) {
    EXPECT_EQ(params_again<PaginatedParams>(R"({"cursor":null,"_meta":null})"), "{}");
    EXPECT_EQ(params_again<ReadResourceParams>(R"({"uri":"a:b","_meta":null})"),
              R"({"uri":"a:b"})");
    EXPECT_EQ(params_again<CallToolParams>(R"({"name":"t","arguments":null,"task":null})"),
              R"({"name":"t"})");
    EXPECT_EQ(params_again<GetPromptParams>(R"({"name":"p","arguments":null})"), R"({"name":"p"})");
    EXPECT_EQ(
        params_again<CompleteParams>(R"({"ref":{"type":"ref/prompt","name":"p","title":null},)"
                                     R"("argument":{"name":"a","value":"b"},"context":null})"),
        R"({"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}})");
    EXPECT_EQ(params_again<InitializeParams>(
                  R"({"protocolVersion":"2025-11-25","capabilities":{"roots":null,)"
                  R"("sampling":null,"elicitation":{"form":null,"url":null}},)"
                  R"("clientInfo":{"name":"c","version":"1"}})"),
              R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},)"
              R"("clientInfo":{"name":"c","version":"1"}})");
    EXPECT_EQ(params_again<ElicitParams>(
                  R"({"mode":null,"message":"m","requestedSchema":{"$schema":null,)"
                  R"("type":"object","properties":{},"required":null}})"),
              R"({"mode":"form","message":"m","requestedSchema":)"
              R"({"type":"object","properties":{}}})");
}

TEST(Tolerance, null_for_a_required_member_is_refused) {
    EXPECT_EQ(params_again<ReadResourceParams>(R"({"uri":null})"),
              "/uri: must be a string, got null");
    EXPECT_EQ(result_again<CallToolResult>(R"({"content":null})"),
              "/content: must be an array, got null");
}

TEST(Tolerance, null_is_a_value_of_members_of_any_type) {
    auto const text = R"({"resultType":"complete","content":[],"structuredContent":null})";
    EXPECT_EQ(result_again<CallToolResult>(text, Version::v2026_07_28), text);
}

TEST(Tolerance, entries_that_cannot_be_read_are_left_out_and_noted) {
    std::vector<DecodeError> skipped;
    EXPECT_EQ(result_again<ListResourcesResult>(
                  R"({"resources":[{"uri":"a:1","name":"1"},{"name":"2"},7,{"uri":"a:3","name":)"
                  R"("3"}]})",
                  Version::v2025_11_25, &skipped),
              R"({"resources":[{"uri":"a:1","name":"1"},{"uri":"a:3","name":"3"}]})");
    ASSERT_EQ(skipped.size(), 2U);
    EXPECT_EQ(skipped[0].to_string(), R"(/resources/1: missing required property "uri")");
    EXPECT_EQ(skipped[1].to_string(), "/resources/2: must be an object, got an integer");
    EXPECT_EQ(result_again<ListPromptsResult>(R"({"prompts":[null,{"name":"p"}]})",
                                              Version::v2025_11_25, &skipped),
              R"({"prompts":[{"name":"p"}]})");
    EXPECT_EQ(result_again<ListResourceTemplatesResult>(
                  R"({"resourceTemplates":[[],{"uriTemplate":"a:{b}","name":"t"}]})",
                  Version::v2025_11_25, &skipped),
              R"({"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t"}]})");
    EXPECT_EQ(result_again<ListToolsResult>(R"({"tools":[{},{}]})", Version::v2025_11_25, &skipped),
              R"({"tools":[]})");
    EXPECT_EQ(skipped.size(), 6U);
    EXPECT_EQ(result_again<ListRootsResult>(R"({"roots":[{"uri":"file:///a"},{"name":"b"},7]})",
                                            Version::v2025_11_25, &skipped),
              R"({"roots":[{"uri":"file:///a"}]})");
    std::string const task = R"({"taskId":"t","status":"working","createdAt":)"
                             R"("2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z",)"
                             R"("ttl":1})";
    EXPECT_EQ(result_again<ListTasksResult>(R"({"tasks":[{"taskId":7},)" + task + "]}",
                                            Version::v2025_11_25, &skipped),
              R"({"tasks":[)" + task + "]}");
    EXPECT_EQ(skipped.size(), 9U);
}

TEST(Tolerance, the_number_of_noted_bad_entries_is_limited) {
    std::string text = R"({"tools":[0)";
    for (int i = 0; i < 1000; ++i) text += ",0";
    std::vector<DecodeError> skipped;
    EXPECT_EQ(result_again<ListToolsResult>(text + "]}", Version::v2025_11_25, &skipped),
              R"({"tools":[]})");
    EXPECT_EQ(skipped.size(), 20U);
}

TEST(Tolerance, without_a_receiver_of_notes_a_bad_entry_fails_the_list) {
    EXPECT_EQ(result_again<ListToolsResult>(R"({"tools":[7]})"),
              "/tools/0: must be an object, got an integer");
}

TEST(Tolerance, a_value_that_is_no_list_is_refused) {
    std::vector<DecodeError> skipped;
    EXPECT_EQ(result_again<ListToolsResult>(R"({"tools":{}})", Version::v2025_11_25, &skipped),
              "/tools: must be an array, got an object");
}

TEST(Tolerance, content_of_an_unknown_kind_is_kept_as_it_is) {
    for (auto const version : {Version::v2024_11_05, Version::v2025_11_25}) {
        for (auto const* text :
             {R"({"content":[{"type":"hologram","data":[1,{"a":null}]}]})",
              R"({"content":[{"type":"text","text":"a"},{"type":"","x":1.50}]})"}) {
            EXPECT_EQ(result_again<CallToolResult>(text, version), text);
        }
        auto const* const prompt =
            R"({"messages":[{"role":"user","content":{"type":"hologram","data":1}}]})";
        EXPECT_EQ(result_again<GetPromptResult>(prompt, version), prompt);
    }
    EXPECT_EQ(result_again<CallToolResult>(R"({"content":[{"text":"a"}]})"),
              "/content/0: missing required property \"type\"");
    EXPECT_NE(result_again<CallToolResult>(R"({"content":[{"type":7}]})").find("/content/0/type"),
              std::string::npos);
}

TEST(Tolerance, sampling_content_of_an_unknown_kind_is_kept_as_it_is) {
    for (auto const version : {Version::v2024_11_05, Version::v2025_11_25}) {
        auto const* const params =
            R"({"messages":[{"role":"user","content":{"type":"hologram","data":[1,{"a":null}]}}],)"
            R"("maxTokens":1})";
        EXPECT_EQ(params_again<CreateMessageParams>(params, version), params);
        for (auto const* result :
             {R"({"role":"assistant","content":{"type":"thinking","x":1.50},"model":"m"})",
              R"({"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking"}],)"
              R"("model":"m"})"}) {
            EXPECT_EQ(result_again<CreateMessageResult>(result, version), result);
        }
    }
    std::string const retry =
        R"({"name":"t","inputResponses":{"k":{"role":"assistant","content":{"type":"thinking"},)"
        R"("model":"m"}})";
    EXPECT_TRUE(params_again<CallToolParams>(retry + "}", Version::v2026_07_28).starts_with(retry));
    // A kind of content blocks that sampling messages do not have.
    auto const* const resource =
        R"({"messages":[{"role":"user","content":{"type":"resource"}}],"maxTokens":1})";
    EXPECT_EQ(params_again<CreateMessageParams>(resource), resource);
    EXPECT_EQ(result_again<CreateMessageResult>(
                  R"({"role":"assistant","content":{"text":"a"},"model":"m"})"),
              "/content: missing required property \"type\"");
}

TEST(Tolerance, completion_context_is_read_in_every_revision_and_sent_only_from_2025_06_18) {
    std::string const without =
        R"({"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"})";
    std::string const with = without + R"(,"context":{"arguments":{"c":"d"}}})";
    json::Document document;
    auto const view = document.parse(with);
    ASSERT_TRUE(view);
    for (auto const version : {Version::v2024_11_05, Version::v2025_03_26, Version::v2025_06_18}) {
        auto const params = decode_params<CompleteParams>(*view, version);
        ASSERT_TRUE(params) << params.error().to_string();
        ASSERT_TRUE(params->context) << to_string(version);
        EXPECT_EQ(params->context->arguments.at("c"), "d");
        EXPECT_EQ(params_again<CompleteParams>(with, version),
                  version < Version::v2025_06_18 ? without + "}" : with);
    }
}

TEST(Tolerance, members_that_are_not_known_survive) {
    for (auto const* text : {
             R"({"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":)"
             R"({"readOnlyHint":true,"category":"Navigation"},"version":[1,2]}]})",
         }) {
        EXPECT_EQ(result_again<ListToolsResult>(text), text);
    }
    for (
        auto const* text : {
            R"({"content":[{"type":"text","text":"a","annotations":{"priority":1,"x":1},"y":{}}]})",
            R"({"content":[{"type":"image","data":"","mimeType":"a/b","alt":"x"}]})",
            R"({"content":[{"type":"audio","data":"","mimeType":"a/b","length":3}]})",
            R"({"content":[{"type":"resource_link","uri":"a:b","name":"n","x":null}]})",
            R"({"content":[{"type":"resource","resource":{"uri":"a:b","text":"t","v":1},"w":2}]})",
            R"({"content":[{"type":"resource","resource":{"uri":"a:b","blob":"","v":1}}]})",
        }) {
        EXPECT_EQ(result_again<CallToolResult>(text), text);
    }
    auto const* const resources =
        R"({"resources":[{"uri":"a:b","name":"n","icons":[{"src":"https://x","alt":"y"}],"x":1}]})";
    EXPECT_EQ(result_again<ListResourcesResult>(resources), resources);
    auto const* const templates =
        R"({"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","x":1}]})";
    EXPECT_EQ(result_again<ListResourceTemplatesResult>(templates), templates);
    auto const* const prompts =
        R"({"prompts":[{"name":"p","arguments":[{"name":"a","type":"number"}],"x":1}]})";
    EXPECT_EQ(result_again<ListPromptsResult>(prompts), prompts);
    auto const* const messages =
        R"({"messages":[{"role":"user","content":{"type":"text","text":"a","x":1},"y":2}]})";
    EXPECT_EQ(result_again<GetPromptResult>(messages), messages);
}

TEST(Tolerance, members_that_a_revision_lacks_are_not_unknown) {
    EXPECT_EQ(result_again<ListToolsResult>(
                  R"({"tools":[{"name":"t","title":"T","inputSchema":{"type":"object"}}]})",
                  Version::v2025_03_26),
              R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})");
}

}  // namespace
}  // namespace lanyard::wire

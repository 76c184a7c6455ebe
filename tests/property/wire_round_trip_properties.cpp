// Wire codecs: a value written in any revision can be read, and writing it again gives the same
// bytes.
#include "lanyard/protocol/methods.hpp"
#include "property.hpp"
#include "wire/codec.hpp"

namespace lanyard::wire {
namespace {

// Text with quotes, control characters, umlauts and emoji.
rc::Gen<std::string> texts() {
    auto const piece = rc::gen::element<std::string>("a", "Z", "0", "\"", "\\", "\n", "\x01",
                                                     "\u00e4", "\U0001f600", " ", "/");
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                        [](std::vector<std::string> const& pieces) {
                            std::string text;
                            for (auto const& part : pieces) text += part;
                            return text;
                        });
}

std::string text() {
    return *texts();
}

bool maybe() {
    return *rc::gen::arbitrary<bool>();
}

int below(int limit) {
    return *rc::gen::inRange(0, limit);
}

Json any_json(int depth = 3) {
    switch (below(depth > 0 ? 6 : 4)) {
        case 0:
            return nullptr;
        case 1:
            return maybe();
        case 2:
            return *rc::gen::arbitrary<std::int64_t>();
        case 3:
            return Json(text());
        case 4: {
            JsonArray array;
            for (int i = below(4); i > 0; --i) array.push_back(any_json(depth - 1));
            return array;
        }
        default: {
            JsonObject object;
            for (int i = below(4); i > 0; --i) object[text()] = any_json(depth - 1);
            return object;
        }
    }
}

JsonObject any_object() {
    JsonObject object;
    for (int i = below(4); i > 0; --i) object[text()] = any_json();
    return object;
}

Meta any_meta() {
    Meta meta;
    if (maybe()) meta.members()["com.example/key"] = any_json();
    if (maybe()) meta.set_progress_token(*rc::gen::arbitrary<std::int64_t>());
    return meta;
}

std::optional<Annotations> any_annotations() {
    if (maybe()) return std::nullopt;
    Annotations annotations{.last_modified = text()};
    if (maybe()) annotations.audience = {Role::user};
    if (maybe()) annotations.priority = below(1000) / 999.0;
    return annotations;
}

ContentBlock any_block() {
    switch (below(5)) {
        case 0:
            return TextContent{text(), any_annotations(), any_meta()};
        case 1:
            return ImageContent{text(), text(), any_annotations(), any_meta()};
        case 2:
            return AudioContent{text(), text(), any_annotations(), any_meta()};
        case 3:
            return ResourceLink{{.uri = text(),
                                 .name = text(),
                                 .title = text(),
                                 .size = below(9),
                                 .annotations = any_annotations()}};
        default:
            return EmbeddedResource{
                maybe()
                    ? ResourceContents(TextResourceContents{text(), text(), text(), any_meta()})
                    : ResourceContents(BlobResourceContents{text(), text(), text(), any_meta()}),
                any_annotations(), any_meta()};
    }
}

CallToolResult any_call_result() {
    CallToolResult result{.is_error = maybe(), .meta = any_meta()};
    for (int i = below(5); i > 0; --i) result.content.push_back(any_block());
    if (maybe()) result.structured_content = RawJson(any_json());
    return result;
}

CallToolParams any_call_params() {
    CallToolParams params{.name = text(), .meta = any_meta()};
    if (maybe()) params.arguments = RawJson(Json(any_object()));
    if (below(4) == 0) params.task = TaskMetadata{std::chrono::milliseconds(below(100))};
    if (below(4) == 0) params.retry.request_state = text();
    return params;
}

ListToolsResult any_tools() {
    ListToolsResult result{.cache = {std::chrono::milliseconds(below(9))}, .meta = any_meta()};
    for (int i = below(4); i > 0; --i) {
        Tool tool{.name = text(), .title = text(), .description = text(), .meta = any_meta()};
        tool.input_schema = RawJson::trusted(R"({"type":"object"})");
        if (maybe()) tool.output_schema = RawJson::trusted(R"({"type":"array"})");
        if (maybe()) tool.annotations = ToolAnnotations{.title = text(), .read_only_hint = maybe()};
        if (maybe()) tool.execution = ToolExecution{TaskSupport::optional};
        if (maybe()) tool.icons = {{.src = text(), .theme = IconTheme::light}};
        result.tools.push_back(std::move(tool));
    }
    if (maybe()) result.next_cursor = text();
    return result;
}

ElicitParams any_form() {
    ElicitFormParams form{.message = text(), .meta = any_meta()};
    for (int i = below(4); i > 0; --i) {
        FormField field{.name = text() + std::to_string(i), .required = maybe()};
        switch (below(4)) {
            case 0:
                field.schema = StringSchema{.title = text(), .default_value = text()};
                break;
            case 1:
                field.schema = NumberSchema{.integer = maybe(), .minimum = below(9)};
                break;
            case 2:
                field.schema = BooleanSchema{.default_value = maybe()};
                break;
            default:
                field.schema = SingleSelectEnumSchema{
                    .options = {{"a" + text(), text()}, {"b" + text(), text()}}};
        }
        form.requested_schema.fields.push_back(std::move(field));
    }
    return form;
}

// Writes, reads and writes again. Checks nothing if the revision refuses the value.
template <class T, class Encode, class Decode>
void expect_stable(T const& value, Encode encode, Decode decode) {
    std::string first;
    json::Writer writer(first);
    if (!encode(writer, value)) return;
    json::Document document;
    auto const view = document.parse(first);
    RC_ASSERT(view.has_value());
    auto const read = decode(*view);
    RC_ASSERT(read.has_value());
    std::string second;
    json::Writer again(second);
    RC_ASSERT(encode(again, *read).has_value());
    RC_ASSERT(second == first);
}

Version any_version() {
    return *rc::gen::elementOf(std::vector<Version>(all_versions.begin(), all_versions.end()));
}

template <class T>
void check_params(T (*make)()) {
    test::check_property([make] {
        auto const version = any_version();
        expect_stable(
            make(),
            [&](json::Writer& writer, T const& value) {
                return encode_params(writer, value, {.version = version});
            },
            [&](json::View view) { return decode_params<T>(view, version); });
    });
}

template <class T>
void check_results(T (*make)()) {
    test::check_property([make] {
        auto const version = any_version();
        expect_stable(
            make(),
            [&](json::Writer& writer, T const& value) {
                return encode_result(writer, value, {.version = version});
            },
            [&](json::View view) { return decode_result<T>(view, version); });
    });
}

TEST(WireProperties, tool_calls_round_trip) {
    check_params(&any_call_params);
}

TEST(WireProperties, tool_results_round_trip) {
    check_results(&any_call_result);
}

TEST(WireProperties, tool_lists_round_trip) {
    check_results(&any_tools);
}

TEST(WireProperties, forms_round_trip) {
    check_params(&any_form);
}

}  // namespace
}  // namespace lanyard::wire

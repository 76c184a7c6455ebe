// Codecs of `_meta`, raw objects, tool schemas and cache hints.
#include <algorithm>
#include <array>
#include <chrono>

#include "wire/tables/fields.hpp"
#include "wire/tagged.hpp"

namespace lanyard {
namespace {

constexpr std::array envelope_keys{
    meta_key::protocol_version, meta_key::client_capabilities, meta_key::client_info,
    meta_key::log_level,        meta_key::server_info,         meta_key::subscription_id,
};

RawJson const& raw(void const* member) noexcept {
    return *static_cast<RawJson const*>(member);
}

bool is_object_schema(json::View schema) noexcept {
    auto const type = schema.find("type");
    return type && type->equals("object");
}

// The member in which output that is not an object is wrapped, for revisions that allow only
// objects.
constexpr std::string_view output_wrapper = "result";

// Whether the keyword stays at the root when the schema is put into another schema.
bool belongs_to_root(json::View keyword) noexcept {
    return keyword.equals("$schema") || keyword.equals("$defs") || keyword.equals("definitions");
}

// Whether the schema can be moved into another schema: it has no `$id`, and every reference points
// into the definitions, which stay at the root.
bool refers_to_definitions_only(std::string_view schema) noexcept {
    for (auto at = schema.find("\"#"); at != std::string_view::npos;
         at = schema.find("\"#", at + 1)) {
        auto const target = schema.substr(at + 2);
        if (!target.starts_with("/$defs/") && !target.starts_with("/definitions/")) return false;
    }
    return schema.find("\"$id\"") == std::string_view::npos;
}

// Whether the schema states that its values are not objects, and can be put into another schema.
bool can_be_wrapped(json::View schema) noexcept {
    auto const type = schema.find("type");
    if (!type) return false;
    if (type->is_array()) {
        for (auto const one : type->elements()) {
            if (one.equals("object")) return false;
        }
    }
    return refers_to_definitions_only(schema.raw());
}

}  // namespace

bool wire::is_envelope_key(std::string_view key) noexcept {
    return std::ranges::find(envelope_keys, key) != envelope_keys.end();
}

void Codec<Meta>::encode(json::Writer& writer, Meta const& value, EncodeContext const&) {
    codec::encode_json_object(writer, value.members());
}

bool Codec<Meta>::decode(json::View view, Meta& out, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    bool const has_envelope = wire::has_feature(context.version(), Feature::request_metadata);
    out.members().clear();
    std::string name;
    for (auto const& [key, value] : view.members()) {
        name.clear();
        key.append_string_to(name);
        if (has_envelope && wire::is_envelope_key(name)) continue;
        out.members().insert_or_assign(name, value.to_json());
    }
    return true;
}

namespace wire::detail {

bool decode_raw_object(json::View view, void* out, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    return Codec<RawJson>::decode(view, *static_cast<RawJson*>(out), context);
}

void encode_raw_object(json::Writer& writer, void const* value, EncodeContext const&) {
    writer.raw(raw(value).empty() ? std::string_view("{}") : std::string_view(raw(value).text()));
}

bool decode_object_schema(json::View view, void* out, DecodeContext& context) {
    if (!decode_raw_object(view, out, context)) return false;
    if (is_object_schema(view)) return true;
    return context.fail("must be a JSON Schema with \"type\": \"object\"");
}

bool is_not_object(void const* member) noexcept {
    return !raw(member).text().starts_with('{');
}

void encode_wrapped_output(json::Writer& writer, void const* value, EncodeContext const&) {
    if (!is_not_object(value)) {
        writer.raw(raw(value).text());
        return;
    }
    writer.begin_object().key(output_wrapper).raw(raw(value).text()).end_object();
}

bool has_no_wrapped_schema(void const* member) {
    if (raw(member).empty()) return true;
    json::Document document;
    auto const schema = document.parse(raw(member).text());
    return !schema || !(is_object_schema(*schema) || can_be_wrapped(*schema));
}

void encode_wrapped_schema(json::Writer& writer, void const* value, EncodeContext const&) {
    json::Document document;
    auto const schema = document.parse(raw(value).text());
    if (!schema || is_object_schema(*schema)) {
        writer.raw(raw(value).text());
        return;
    }
    writer.begin_object().key("type").string("object");
    writer.key("properties").begin_object().key(output_wrapper).begin_object();
    for (auto const& [key, member] : schema->members()) {
        if (!belongs_to_root(key)) writer.key(*key.as_string()).raw(member.raw());
    }
    writer.end_object().end_object();
    writer.key("required").begin_array().string(output_wrapper).end_array();
    for (auto const& [key, member] : schema->members()) {
        if (belongs_to_root(key)) writer.key(*key.as_string()).raw(member.raw());
    }
    writer.end_object();
}

bool decode_milliseconds(json::View view, void* out, DecodeContext& context) {
    std::int64_t count = 0;
    if (!Codec<std::int64_t>::decode(view, count, context)) return false;
    *static_cast<std::optional<std::chrono::milliseconds>*>(out) = std::chrono::milliseconds(count);
    return true;
}

void encode_milliseconds(json::Writer& writer, void const* value, EncodeContext const&) {
    auto const& duration = *static_cast<std::optional<std::chrono::milliseconds> const*>(value);
    if (duration) {
        writer.integer(duration->count());
    } else {
        writer.null();
    }
}

bool decode_cache_ttl(json::View view, void* out, DecodeContext& context) {
    std::int64_t count = 0;
    if (!Codec<std::int64_t>::decode(view, count, context)) return false;
    *static_cast<std::chrono::milliseconds*>(out) =
        std::chrono::milliseconds(std::max(count, std::int64_t{0}));
    return true;
}

void encode_cache_ttl(json::Writer& writer, void const* value, EncodeContext const&) {
    auto const ttl = *static_cast<std::chrono::milliseconds const*>(value);
    writer.integer(std::max(ttl.count(), std::int64_t{0}));
}

}  // namespace wire::detail
}  // namespace lanyard

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

bool is_not_object_schema(void const* member) {
    if (raw(member).empty()) return true;
    json::Document document;
    auto const schema = document.parse(raw(member).text());
    return !schema || !is_object_schema(*schema);
}

bool decode_cache_ttl(json::View view, void* out, DecodeContext& context) {
    auto& ttl = *static_cast<std::chrono::milliseconds*>(out);
    if (!Codec<std::chrono::milliseconds>::decode(view, ttl, context)) return false;
    ttl = std::max(ttl, std::chrono::milliseconds(0));
    return true;
}

void encode_cache_ttl(json::Writer& writer, void const* value, EncodeContext const& context) {
    auto const ttl = *static_cast<std::chrono::milliseconds const*>(value);
    Codec<std::chrono::milliseconds>::encode(writer, std::max(ttl, std::chrono::milliseconds(0)),
                                             context);
}

}  // namespace wire::detail
}  // namespace lanyard

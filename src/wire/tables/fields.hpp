// Building blocks of the wire tables: fields that need special handling, because of a revision or
// because of the C++ type.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <type_traits>

#include "lanyard/codec.hpp"
#include "lanyard/protocol/cache.hpp"
#include "lanyard/protocol/enum_names.hpp"
#include "lanyard/protocol/features.hpp"
#include "lanyard/protocol/meta.hpp"

namespace lanyard {

/// The members of `_meta`, without those that belong to the envelope of the revision.
template <>
struct Codec<Meta> {
    static void encode(json::Writer& writer, Meta const& value, EncodeContext const& context);
    static bool decode(json::View view, Meta& out, DecodeContext& context);
};

namespace reflect {

using namespace attr;

template <NamedEnum E>
constexpr auto describe_names() {
    constexpr auto& names = EnumNames<E>::value;
    EnumTable<E, names.size()> table{};
    for (std::size_t i = 0; i < names.size(); ++i) {
        table.enumerators[i] = {static_cast<std::int64_t>(i), names[i], {}};
    }
    return table;
}

/// An enumeration of the protocol is described by the names of its enumerators.
template <NamedEnum E>
inline constexpr auto description<E> = describe_names<E>();

}  // namespace reflect

namespace wire {

using namespace attr;
using reflect::constant;
using reflect::describe;
using reflect::field;
using reflect::FieldOf;
using reflect::rest;

inline constexpr auto v2025_11_25 = Version::v2025_11_25;
inline constexpr auto v2026_07_28 = Version::v2026_07_28;

/// Returns the attribute for a field that does not exist before the first revision with this
/// feature.
constexpr since from(Feature feature) {
    return {info(feature).since};
}
/// Returns the attribute for a field that does not exist after the last revision with this feature.
constexpr until upto(Feature feature) {
    return {info(feature).until};
}

/// Whether this key of `_meta` belongs to the envelope of protocol revision 2026-07-28 and not to
/// the user's own data.
bool is_envelope_key(std::string_view key) noexcept;

namespace detail {

template <class M>
struct MemberOf;
template <class M, class T>
struct MemberOf<M T::*> {
    using Owner = T;
    using Type = M;
};
template <auto Member>
using OwnerOf = typename MemberOf<decltype(Member)>::Owner;

bool decode_raw_object(json::View view, void* out, DecodeContext& context);
void encode_raw_object(json::Writer& writer, void const* value, EncodeContext const& context);
bool decode_object_schema(json::View view, void* out, DecodeContext& context);
bool is_not_object(void const* raw) noexcept;
void encode_wrapped_output(json::Writer& writer, void const* value, EncodeContext const& context);
void encode_wrapped_schema(json::Writer& writer, void const* value, EncodeContext const& context);
bool has_no_wrapped_schema(void const* raw);
bool decode_milliseconds(json::View view, void* out, DecodeContext& context);
void encode_milliseconds(json::Writer& writer, void const* value, EncodeContext const& context);
bool decode_cache_ttl(json::View view, void* out, DecodeContext& context);
void encode_cache_ttl(json::Writer& writer, void const* value, EncodeContext const& context);

}  // namespace detail

/// The field for a boolean that is written only if it is true.
template <auto Member, class... Attributes>
constexpr auto flag(std::string_view name, Attributes const&... attributes) {
    auto built = field<Member>(name, defaulted, attributes...);
    built.field.absent = [](void const* member) { return !*static_cast<bool const*>(member); };
    return built;
}

/// The field for a member that is read but never written, for revisions that lack the member
/// although some peers send it.
template <auto Member, class... Attributes>
constexpr auto read_only(std::string_view name, Attributes const&... attributes) {
    auto built = field<Member>(name, attributes...);
    built.field.absent = [](void const*) { return true; };
    return built;
}

/// Converts a field of the struct Inner into a field of the struct Owner.
template <class Owner, class Inner, bool has_details, class Member>
constexpr auto moved_to(FieldOf<Inner, has_details, Member> const& inner) {
    FieldOf<Owner, has_details, Member> outer;
    static_cast<reflect::detail::FieldParts&>(outer) = inner;
    return outer;
}

/// A field for a member of the struct `Part`, which is itself a member of `Owner`. In JSON, the
/// field appears directly in the object of `Owner`.
template <auto Part, auto Member, class... Attributes>
constexpr auto through(std::string_view name, Attributes const&... attributes) {
    using Owner = detail::OwnerOf<Part>;
    auto outer = moved_to<Owner>(field<Member>(name, attributes...));
    outer.field.access = [](void* object) -> void* {
        return std::addressof((static_cast<Owner*>(object)->*Part).*Member);
    };
    return outer;
}

/// Collects unknown JSON members in the struct `Part`, which is itself a member of `Owner`. In
/// JSON, the fields of `Part` appear directly in the object of `Owner`.
template <auto Part, auto Member>
constexpr auto rest_through() {
    using Owner = detail::OwnerOf<Part>;
    return reflect::RestOf<Owner>{
        [](void* object) -> JsonObject& { return (static_cast<Owner*>(object)->*Part).*Member; }};
}

/// The field for the entries of a list result. An entry that cannot be decoded is skipped if the
/// DecodeContext collects skipped entries. Otherwise decoding fails.
template <auto Member>
constexpr auto entries(std::string_view name) {
    using List = typename detail::MemberOf<decltype(Member)>::Type;
    auto built = field<Member>(name);
    built.field.type.decode = [](json::View view, void* out, DecodeContext& context) {
        auto& list = *static_cast<List*>(out);
        if (!codec::check_array(view, std::nullopt, context)) return false;
        list.clear();
        list.reserve(codec::first_reserve<typename List::value_type>(view.size()));
        DecodeContext::Step step(context, std::size_t{0});
        for (auto const element : view.elements()) {
            if (!Codec<typename List::value_type>::decode(element, list.emplace_back(), context)) {
                if (!context.skip_entry()) return false;
                list.pop_back();
            }
            step.next();
        }
        return true;
    };
    return built;
}

/// The field for a RawJson that holds an object. If the field is required, an empty RawJson is
/// written as {}.
template <auto Member, class... Attributes>
constexpr auto raw_object(std::string_view name, Attributes const&... attributes) {
    auto built = field<Member>(name, attributes...);
    built.field.type.decode = &detail::decode_raw_object;
    built.field.type.encode = &detail::encode_raw_object;
    return built;
}

/// The field for a RawJson that is written only if it holds an object; any other value is omitted.
template <auto Member, class... Attributes>
constexpr auto raw_object_only(std::string_view name, Attributes const&... attributes) {
    auto built = raw_object<Member>(name, attributes...);
    built.field.absent = &detail::is_not_object;
    return built;
}

/// The field for a RawJson that holds a JSON Schema with "type": "object" at its root.
template <auto Member, class... Attributes>
constexpr auto object_schema(std::string_view name, Attributes const&... attributes) {
    auto built = raw_object<Member>(name, attributes...);
    built.field.type.decode = &detail::decode_object_schema;
    return built;
}

/// The field for structured output of any type, for revisions that allow only objects: a value that
/// is not an object is written as the member `result` of an object.
template <auto Member, class... Attributes>
constexpr auto wrapped_output(std::string_view name, Attributes const&... attributes) {
    auto built = raw_object<Member>(name, attributes...);
    built.field.type.encode = &detail::encode_wrapped_output;
    return built;
}

/// The schema of the output that wrapped_output() writes: an object schema is unchanged, any other
/// schema becomes the schema of the member `result`. The field is omitted if the original schema
/// has no `type`, admits both objects and other values, or cannot be nested in another schema
/// because of its `$id` or references.
template <auto Member, class... Attributes>
constexpr auto wrapped_output_schema(std::string_view name, Attributes const&... attributes) {
    auto built = object_schema<Member>(name, attributes...);
    built.field.type.encode = &detail::encode_wrapped_schema;
    built.field.absent = &detail::has_no_wrapped_schema;
    return built;
}

/// An optional duration that is written as a number of milliseconds.
template <class Owner, bool has_details, class Member>
constexpr auto in_milliseconds(FieldOf<Owner, has_details, Member> built) {
    built.field.type.decode = &detail::decode_milliseconds;
    built.field.type.encode = &detail::encode_milliseconds;
    return built;
}

/// The field for a constant that is always written, but may be missing from a message that is read.
template <class Owner, class... Attributes>
constexpr auto implied(std::string_view name, std::string_view value,
                       Attributes const&... attributes) {
    auto built = constant<Owner>(name, value, attributes...);
    built.field.flags = reflect::Flag::defaulted;
    return built;
}

/// The `resultType` of a complete result.
template <class Owner>
constexpr auto complete() {
    return implied<Owner>("resultType", "complete", from(Feature::result_types));
}

/// The `_meta` field. Params and results have it in every revision. For other types, pass an
/// attribute with the first revision that has the field.
template <auto Member, class... Attributes>
constexpr auto meta(Attributes const&... attributes) {
    return field<Member>("_meta", omit_empty, attributes...);
}

/// The field for the lifetime of a cache hint. A missing or negative value is read as 0.
template <auto Hint>
constexpr auto cache_ttl() {
    auto built = through<Hint, &CacheHint::ttl>("ttlMs", from(Feature::cache_hints), defaulted);
    built.field.type.decode = &detail::decode_cache_ttl;
    built.field.type.encode = &detail::encode_cache_ttl;
    return built;
}

template <auto Hint>
constexpr auto cache_scope() {
    return through<Hint, &CacheHint::scope>("cacheScope", from(Feature::cache_hints), defaulted);
}

}  // namespace wire
}  // namespace lanyard

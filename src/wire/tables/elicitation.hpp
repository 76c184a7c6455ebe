// Wire tables of elicitation.
#pragma once

#include "lanyard/protocol/elicitation.hpp"
#include "wire/tables/tool.hpp"

namespace lanyard {

/// The alternatives are distinguished by "type" and by the keyword that lists the choices.
template <>
struct Codec<PrimitiveSchemaDefinition> {
    static void encode(json::Writer& writer, PrimitiveSchemaDefinition const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, PrimitiveSchemaDefinition& out, DecodeContext& context);
};

template <>
struct Codec<FormSchema> {
    static void encode(json::Writer& writer, FormSchema const& value, EncodeContext const& context);
    static bool decode(json::View view, FormSchema& out, DecodeContext& context);
};

/// The alternatives are distinguished by "mode"; if it is missing, the mode is form.
template <>
struct Codec<ElicitParams> {
    static void encode(json::Writer& writer, ElicitParams const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, ElicitParams& out, DecodeContext& context);
};

}  // namespace lanyard

namespace lanyard::wire {

namespace detail {

bool decode_number_type(json::View view, void* out, DecodeContext& context);
void encode_number_type(json::Writer& writer, void const* value, EncodeContext const& context);
bool decode_form_content(json::View view, void* out, DecodeContext& context);

// The first three functions return whether a SingleSelectEnumSchema is written without `enum`,
// `oneOf` or `enumNames`, respectively. is_untitled() returns whether no choice has a title.
bool is_not_enum(void const* schema) noexcept;
bool is_not_one_of(void const* schema) noexcept;
bool has_no_enum_names(void const* schema) noexcept;
bool is_untitled(void const* schema) noexcept;
/// Ignores the keyword: the choices are decoded separately, because one keyword may depend on
/// another.
bool skip_choices(json::View view, void* out, DecodeContext& context);
void encode_enum(json::Writer& writer, void const* schema, EncodeContext const& context);
void encode_enum_names(json::Writer& writer, void const* schema, EncodeContext const& context);
void encode_one_of(json::Writer& writer, void const* schema, EncodeContext const& context);
void encode_items(json::Writer& writer, void const* options, EncodeContext const& context);

}  // namespace detail

/// The field `type` of a number field: "number" or "integer".
template <auto Member>
constexpr auto number_type() {
    auto built = field<Member>("type");
    built.field.type.decode = &detail::decode_number_type;
    built.field.type.encode = &detail::encode_number_type;
    return built;
}

/// The field for a keyword that lists choices.
template <auto Member, class... Attributes>
constexpr auto choices(std::string_view keyword,
                       void (*encode)(json::Writer&, void const*, EncodeContext const&),
                       Attributes const&... attributes) {
    auto built = field<Member>(keyword, defaulted, attributes...);
    built.field.type.decode = &detail::skip_choices;
    built.field.type.encode = encode;
    return built;
}

/// The field for one of the keywords that list the choices of a SingleSelectEnumSchema. The keyword
/// is omitted if `absent` returns true. `absent` and `encode` get the whole schema, because several
/// of its members determine how the choices are written.
template <class... Attributes>
constexpr auto single_choice(std::string_view keyword, bool (*absent)(void const*),
                             void (*encode)(json::Writer&, void const*, EncodeContext const&),
                             Attributes const&... attributes) {
    auto built = choices<&SingleSelectEnumSchema::options>(keyword, encode, attributes...);
    built.field.access = [](void* schema) noexcept { return schema; };
    built.field.absent = absent;
    return built;
}

/// The field for the user's input: strings, numbers, booleans and lists of strings.
template <auto Member>
constexpr auto form_content() {
    auto built = field<Member>("content");
    built.field.type.decode = &detail::decode_form_content;
    return built;
}

}  // namespace lanyard::wire

namespace lanyard::reflect {

template <>
inline constexpr auto description<StringSchema> = describe<StringSchema>(
    "string field", constant<StringSchema>("type", "string"),
    field<&StringSchema::title>("title", omit_empty),
    field<&StringSchema::description>("description", omit_empty),
    field<&StringSchema::min_length>("minLength"), field<&StringSchema::max_length>("maxLength"),
    field<&StringSchema::format>("format"),
    field<&StringSchema::pattern>("pattern", omit_empty, wire::from(Feature::elicitation_defaults)),
    field<&StringSchema::default_value>("default", wire::from(Feature::elicitation_defaults)));

template <>
inline constexpr auto description<NumberSchema> = describe<NumberSchema>(
    "number field", wire::number_type<&NumberSchema::integer>(),
    field<&NumberSchema::title>("title", omit_empty),
    field<&NumberSchema::description>("description", omit_empty),
    field<&NumberSchema::minimum>("minimum"), field<&NumberSchema::maximum>("maximum"),
    field<&NumberSchema::default_value>("default", wire::from(Feature::elicitation_defaults)));

template <>
inline constexpr auto description<BooleanSchema> =
    describe<BooleanSchema>("boolean field", constant<BooleanSchema>("type", "boolean"),
                            field<&BooleanSchema::title>("title", omit_empty),
                            field<&BooleanSchema::description>("description", omit_empty),
                            field<&BooleanSchema::default_value>("default"));

template <>
inline constexpr auto description<EnumOption> = describe<EnumOption>(
    "choice", field<&EnumOption::value>("const"), field<&EnumOption::title>("title"));

template <>
inline constexpr auto description<SingleSelectEnumSchema> = describe<SingleSelectEnumSchema>(
    "choice field", constant<SingleSelectEnumSchema>("type", "string"),
    field<&SingleSelectEnumSchema::title>("title", omit_empty),
    field<&SingleSelectEnumSchema::description>("description", omit_empty),
    wire::single_choice("enum", nullptr, &wire::detail::encode_enum, until{Version::v2025_06_18}),
    wire::single_choice("enumNames", &wire::detail::is_untitled, &wire::detail::encode_enum_names,
                        until{Version::v2025_06_18}),
    wire::single_choice("enum", &wire::detail::is_not_enum, &wire::detail::encode_enum,
                        wire::from(Feature::titled_enums)),
    wire::single_choice("enumNames", &wire::detail::has_no_enum_names,
                        &wire::detail::encode_enum_names, wire::from(Feature::titled_enums)),
    wire::single_choice("oneOf", &wire::detail::is_not_one_of, &wire::detail::encode_one_of,
                        wire::from(Feature::titled_enums)),
    field<&SingleSelectEnumSchema::default_value>("default",
                                                  wire::from(Feature::elicitation_defaults)));

template <>
inline constexpr auto description<MultiSelectEnumSchema> = describe<MultiSelectEnumSchema>(
    "choices field", constant<MultiSelectEnumSchema>("type", "array"),
    field<&MultiSelectEnumSchema::title>("title", omit_empty),
    field<&MultiSelectEnumSchema::description>("description", omit_empty),
    field<&MultiSelectEnumSchema::min_items>("minItems"),
    field<&MultiSelectEnumSchema::max_items>("maxItems"),
    wire::choices<&MultiSelectEnumSchema::options>("items", &wire::detail::encode_items),
    field<&MultiSelectEnumSchema::default_value>("default"));

template <>
inline constexpr auto description<ElicitFormParams> = describe<ElicitFormParams>(
    "elicitation/create params",
    wire::implied<ElicitFormParams>("mode", "form", wire::from(Feature::elicitation_modes)),
    field<&ElicitFormParams::message>("message"),
    field<&ElicitFormParams::requested_schema>("requestedSchema"),
    field<&ElicitFormParams::task>("task", wire::from(Feature::core_tasks),
                                   wire::upto(Feature::core_tasks)),
    wire::meta<&ElicitFormParams::meta>(until{wire::v2025_11_25}),
    rest<&ElicitFormParams::extra>());

template <>
inline constexpr auto description<ElicitUrlParams> = describe<ElicitUrlParams>(
    "elicitation/create params", constant<ElicitUrlParams>("mode", "url"),
    field<&ElicitUrlParams::message>("message"), field<&ElicitUrlParams::url>("url"),
    field<&ElicitUrlParams::elicitation_id>("elicitationId", wire::upto(Feature::elicitation_id)),
    field<&ElicitUrlParams::task>("task", wire::from(Feature::core_tasks),
                                  wire::upto(Feature::core_tasks)),
    wire::meta<&ElicitUrlParams::meta>(until{wire::v2025_11_25}), rest<&ElicitUrlParams::extra>());

/// The table has no `resultType`. Only revision 2026-07-28 has that member, and in that revision
/// this result is sent inside a retried request, not as the result of a request.
template <>
inline constexpr auto description<ElicitResult> = describe<ElicitResult>(
    "elicitation/create result", field<&ElicitResult::action>("action"),
    wire::form_content<&ElicitResult::content>(),
    wire::meta<&ElicitResult::meta>(until{wire::v2025_11_25}), rest<&ElicitResult::extra>());

template <>
inline constexpr auto description<ElicitationCompleteParams> = describe<ElicitationCompleteParams>(
    "params", field<&ElicitationCompleteParams::elicitation_id>("elicitationId"),
    wire::meta<&ElicitationCompleteParams::meta>(), rest<&ElicitationCompleteParams::extra>());

}  // namespace lanyard::reflect

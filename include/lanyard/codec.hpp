// Converts typed values to JSON and back: encode() and decode() for scalars, strings, containers,
// optionals, variants, dynamic values, and every described struct and enumeration
// (lanyard/reflect.hpp).
//
// decode() never throws on bad input: it returns a DecodeError with a JSON Pointer and a sentence
// that names the problem.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/json.hpp>
#include <lanyard/reflect/context.hpp>
#include <lanyard/reflect/describe.hpp>
#include <lanyard/result.hpp>
#include <lanyard/rpc/request_id.hpp>

namespace lanyard {

namespace codec {

// The decode and encode functions below are not templates. They work on descriptions of types, so
// they are compiled once and not for each type.

bool decode_boolean(json::View view, bool& out, DecodeContext& context);
bool decode_integer(json::View view, std::int64_t minimum, std::int64_t maximum, std::int64_t& out,
                    DecodeContext& context);
bool decode_integer(json::View view, std::uint64_t minimum, std::uint64_t maximum,
                    std::uint64_t& out, DecodeContext& context);
bool decode_real(json::View view, double maximum, double& out, DecodeContext& context);
bool decode_string(json::View view, std::string& out, DecodeContext& context);
/// Reads a decimal integer from the name of a JSON member. The number may begin with '-'. It must
/// not have a '+' or superfluous leading zeros.
bool decode_key(std::string_view name, std::int64_t minimum, std::int64_t maximum,
                std::int64_t& out, DecodeContext& context);
bool decode_key(std::string_view name, std::uint64_t minimum, std::uint64_t maximum,
                std::uint64_t& out, DecodeContext& context);
/// Reads a path from a JSON string. Refuses a string that contains U+0000, because this character
/// would truncate the path.
bool decode_path(json::View view, std::string& out, DecodeContext& context);
/// Reads a duration in seconds and converts it to a count of ticks, rounded to the nearest tick.
/// One second has `per_second` ticks.
bool decode_ticks(json::View view, std::int64_t per_second, std::int64_t minimum,
                  std::int64_t maximum, std::int64_t& out, DecodeContext& context);
/// Reads a duration in seconds and converts it to a count of ticks. One tick lasts `seconds`
/// seconds. Fails if the duration is not a whole number of ticks.
bool decode_whole_ticks(json::View view, std::int64_t seconds, std::int64_t minimum,
                        std::int64_t maximum, std::int64_t& out, DecodeContext& context);
/// Writes a duration as an integer number of seconds. The duration is a count of ticks, and one
/// tick lasts `seconds` seconds.
void encode_whole_ticks(json::Writer& writer, std::int64_t ticks, std::int64_t seconds);
/// Writes a duration as a decimal number of seconds, without rounding. The duration is a count of
/// ticks, and one second has `per_second` ticks.
void encode_ticks(json::Writer& writer, std::int64_t ticks, std::int64_t per_second);
/// A date and time (RFC 3339) as the time since 1970. Seconds and nanoseconds are separate numbers,
/// so that all years from 0000 to 9999 fit.
struct Instant {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;  ///< 0 to 999,999,999
};
bool decode_instant(json::View view, Instant& out, DecodeContext& context);
bool fail_instant(json::View view, DecodeContext& context);
void encode_instant(json::Writer& writer, Instant instant);
bool fail_equal_items(DecodeContext& context);

bool decode_json_object(json::View view, JsonObject& out, DecodeContext& context);
bool decode_json_array(json::View view, JsonArray& out, DecodeContext& context);
bool decode_request_id(json::View view, RequestId& out, DecodeContext& context);

/// Checks that the value is an array, with exactly `size` elements if `size` is given.
bool check_array(json::View view, std::optional<std::size_t> size, DecodeContext& context);

bool decode_struct(json::View view, void* object, reflect::StructInfo const& info,
                   DecodeContext& context);
void encode_struct(json::Writer& writer, void const* object, reflect::StructInfo const& info,
                   EncodeContext const& context);

bool decode_enum(json::View view, std::int64_t& out, reflect::EnumInfo const& info,
                 DecodeContext& context);
void encode_enum(json::Writer& writer, std::int64_t value, reflect::EnumInfo const& info);

/// Decodes the value as the first alternative that accepts it.
bool decode_variant(json::View view, void* variant, std::span<reflect::TypeOps const> alternatives,
                    DecodeContext& context);

void encode_json_object(json::Writer& writer, JsonObject const& object);
void encode_json_array(json::Writer& writer, JsonArray const& array);

/// Converts a parse error to a DecodeError whose pointer is the root.
DecodeError not_json(json::ParseError const& error);

/// Returns the number of elements to reserve memory for before decoding a container. The result is
/// limited to about 64 KiB of memory, because the claimed number comes from the sender.
template <class T>
constexpr std::size_t first_reserve(std::size_t claimed) noexcept {
    constexpr std::size_t most = 64 * 1024 / sizeof(T) + 1;
    return claimed < most ? claimed : most;
}

}  // namespace codec

template <>
struct Codec<bool> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::boolean};
    static void encode(json::Writer& writer, bool value, EncodeContext const&) {
        writer.boolean(value);
    }
    static bool decode(json::View view, bool& out, DecodeContext& context) {
        return codec::decode_boolean(view, out, context);
    }
};

/// Integers are range-checked. A real number with an integer value (2.0) is accepted as an integer.
template <std::integral T>
struct Codec<T> {
    using Limits = std::numeric_limits<T>;
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

    // For 8- and 16-bit types, the schema shows both bounds. For wider types, it shows only the
    // minimum 0 of unsigned types, because the other bounds do not help readers of the schema.
    static constexpr bool small = sizeof(T) <= 2;
    static constexpr reflect::Shape shape{
        .kind = reflect::Shape::Kind::integer,
        .minimum =
            small || std::is_unsigned_v<T> ? reflect::Number(Limits::min()) : reflect::Number(),
        .maximum = small ? reflect::Number(Limits::max()) : reflect::Number()};

    static void encode(json::Writer& writer, T value, EncodeContext const&) {
        if constexpr (std::is_signed_v<T>) {
            writer.integer(value);
        } else {
            writer.unsigned_integer(value);
        }
    }
    static bool decode(json::View view, T& out, DecodeContext& context) {
        Wide value = 0;
        if (!codec::decode_integer(view, Wide{Limits::min()}, Wide{Limits::max()}, value,
                                   context)) {
            return false;
        }
        out = static_cast<T>(value);
        return true;
    }
};

template <std::floating_point T>
struct Codec<T> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::number};
    static void encode(json::Writer& writer, T value, EncodeContext const&) {
        writer.real(static_cast<double>(value));
    }
    static bool decode(json::View view, T& out, DecodeContext& context) {
        double value = 0;
        constexpr auto most = std::numeric_limits<T>::max();
        if (!codec::decode_real(view, static_cast<double>(most), value, context)) return false;
        out = static_cast<T>(value);
        return true;
    }
};

template <>
struct Codec<std::string> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::string};
    static void encode(json::Writer& writer, std::string const& value, EncodeContext const&) {
        writer.string(value);
    }
    static bool decode(json::View view, std::string& out, DecodeContext& context) {
        return codec::decode_string(view, out, context);
    }
};

/// Can only be encoded: a decoded string_view would refer to memory without an owner.
template <>
struct Codec<std::string_view> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::string};
    static void encode(json::Writer& writer, std::string_view value, EncodeContext const&) {
        writer.string(value);
    }
};

/// The null value, as an alternative of a variant.
template <>
struct Codec<std::monostate> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::null};
    static void encode(json::Writer& writer, std::monostate, EncodeContext const&) {
        writer.null();
    }
    static bool decode(json::View view, std::monostate&, DecodeContext& context) {
        return view.is_null() || context.fail_expected("null", view);
    }
};

template <>
struct Codec<Json> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::any};
    static void encode(json::Writer& writer, Json const& value, EncodeContext const&) {
        writer.value(value);
    }
    static bool decode(json::View view, Json& out, DecodeContext&) {
        out = view.to_json();
        return true;
    }
};

template <>
struct Codec<JsonObject> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::object};
    static void encode(json::Writer& writer, JsonObject const& value, EncodeContext const&) {
        codec::encode_json_object(writer, value);
    }
    static bool decode(json::View view, JsonObject& out, DecodeContext& context) {
        return codec::decode_json_object(view, out, context);
    }
};

template <>
struct Codec<JsonArray> {
    static Json schema() { return {{"type", "array"}}; }
    static void encode(json::Writer& writer, JsonArray const& value, EncodeContext const&) {
        codec::encode_json_array(writer, value);
    }
    static bool decode(json::View view, JsonArray& out, DecodeContext& context) {
        return codec::decode_json_array(view, out, context);
    }
};

/// An empty RawJson is written as null. If it is a member of a struct, the member is left out
/// instead.
template <>
struct Codec<RawJson> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::any};
    static void encode(json::Writer& writer, RawJson const& value, EncodeContext const&) {
        writer.raw(value.empty() ? std::string_view("null") : std::string_view(value.text()));
    }
    static bool decode(json::View view, RawJson& out, DecodeContext&) {
        out = RawJson::trusted(std::string(view.raw()));
        return true;
    }
};

template <>
struct Codec<RequestId> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::request_id};
    static void encode(json::Writer& writer, RequestId const& value, EncodeContext const&) {
        if (auto const* text = value.string()) {
            writer.string(*text);
        } else {
            writer.integer(*value.integer());
        }
    }
    static bool decode(json::View view, RequestId& out, DecodeContext& context) {
        return codec::decode_request_id(view, out, context);
    }
};

/// An empty optional is written as null. If the optional is a member of a struct, the member is
/// left out instead (reflect::field).
template <class T>
struct Codec<std::optional<T>> {
    using Elements = reflect::Types<T>;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::optional,
                                          .element = &reflect::shape_of<T>};
    static void encode(json::Writer& writer, std::optional<T> const& value,
                       EncodeContext const& context) {
        if (value) {
            Codec<T>::encode(writer, *value, context);
        } else {
            writer.null();
        }
    }
    static bool decode(json::View view, std::optional<T>& out, DecodeContext& context) {
        out.reset();
        return view.is_null() || Codec<T>::decode(view, out.emplace(), context);
    }
};

/// A pointer that owns its value, for recursive types. Decoding never yields a null pointer, so
/// input cannot cause a null dereference; encoding a null pointer writes null.
template <class Pointer>
    requires reflect::is_pointer<Pointer>
struct Codec<Pointer> {
    using T = typename Pointer::element_type;
    using Elements = reflect::Types<T>;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::pointer,
                                          .element = &reflect::shape_of<T>};
    static void encode(json::Writer& writer, Pointer const& value, EncodeContext const& context) {
        if (value) {
            Codec<T>::encode(writer, *value, context);
        } else {
            writer.null();
        }
    }
    static bool decode(json::View view, Pointer& out, DecodeContext& context) {
        auto fresh = std::make_unique<T>();
        if (!Codec<T>::decode(view, *fresh, context)) return false;
        out = std::move(fresh);
        return true;
    }
};

template <class T, class Allocator>
struct Codec<std::vector<T, Allocator>> {
    using Elements = reflect::Types<T>;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::array,
                                          .element = &reflect::shape_of<T>};
    static void encode(json::Writer& writer, std::vector<T, Allocator> const& value,
                       EncodeContext const& context) {
        writer.begin_array();
        for (auto const& element : value) Codec<T>::encode(writer, element, context);
        writer.end_array();
    }
    static bool decode(json::View view, std::vector<T, Allocator>& out, DecodeContext& context) {
        if (!codec::check_array(view, std::nullopt, context)) return false;
        out.clear();
        out.reserve(codec::first_reserve<T>(view.size()));
        DecodeContext::Step step(context, std::size_t{0});
        for (auto const element : view.elements()) {
            if constexpr (std::same_as<T, bool>) {
                bool bit = false;
                if (!Codec<bool>::decode(element, bit, context)) return false;
                out.push_back(bit);
            } else {
                if (!Codec<T>::decode(element, out.emplace_back(), context)) return false;
            }
            step.next();
        }
        return true;
    }
};

template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
    using Elements = reflect::Types<T>;
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::array,
                                          .size = N,
                                          .sized = true,
                                          .element = &reflect::shape_of<T>};
    static void encode(json::Writer& writer, std::array<T, N> const& value,
                       EncodeContext const& context) {
        writer.begin_array();
        for (auto const& element : value) Codec<T>::encode(writer, element, context);
        writer.end_array();
    }
    static bool decode(json::View view, std::array<T, N>& out, DecodeContext& context) {
        if (!codec::check_array(view, N, context)) return false;
        DecodeContext::Step step(context, std::size_t{0});
        auto slot = out.begin();
        for (auto const element : view.elements()) {
            if (!Codec<T>::decode(element, *slot++, context)) return false;
            step.next();
        }
        return true;
    }
};

/// Decoding chooses the first alternative that accepts the value.
template <class... Ts>
struct Codec<std::variant<Ts...>> {
    using Elements = reflect::Types<Ts...>;
    using Variant = std::variant<Ts...>;

    template <std::size_t I>
    static bool decode_as(json::View view, void* out, DecodeContext& context) {
        using T = std::variant_alternative_t<I, Variant>;
        return reflect::decode_erased<T>(view, &static_cast<Variant*>(out)->template emplace<I>(),
                                         context);
    }
    template <std::size_t I>
    static void encode_as(json::Writer& writer, void const* value, EncodeContext const& context) {
        using T = std::variant_alternative_t<I, Variant>;
        reflect::encode_erased<T>(writer, std::get_if<I>(static_cast<Variant const*>(value)),
                                  context);
    }
    template <std::size_t... I>
    static constexpr std::array<reflect::TypeOps, sizeof...(Ts)> make_table(
        std::index_sequence<I...>) {
        return {reflect::TypeOps{&reflect::shape_of<Ts>, &decode_as<I>, &encode_as<I>}...};
    }
    static constexpr std::array<reflect::TypeOps, sizeof...(Ts)> alternatives =
        make_table(std::index_sequence_for<Ts...>{});
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::variant,
                                          .alternatives = alternatives};

    static void encode(json::Writer& writer, Variant const& value, EncodeContext const& context) {
        alternatives[value.index()].encode(writer, &value, context);
    }
    static bool decode(json::View view, Variant& out, DecodeContext& context) {
        return codec::decode_variant(view, &out, alternatives, context);
    }
};

template <reflect::DescribedEnum E>
struct Codec<E> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::enumeration,
                                          .enumeration = &reflect::enum_info<E>};
    static void encode(json::Writer& writer, E value, EncodeContext const&) {
        codec::encode_enum(writer, static_cast<std::int64_t>(value), *reflect::enum_info<E>());
    }
    static bool decode(json::View view, E& out, DecodeContext& context) {
        std::int64_t value = 0;
        if (!codec::decode_enum(view, value, *reflect::enum_info<E>(), context)) return false;
        out = static_cast<E>(value);
        return true;
    }
};

template <reflect::DescribedStruct T>
struct Codec<T> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::structure,
                                          .structure = &reflect::struct_info<T>};
    static void encode(json::Writer& writer, T const& value, EncodeContext const& context) {
        codec::encode_struct(writer, &value, *reflect::struct_info<T>(), context);
    }
    static bool decode(json::View view, T& out, DecodeContext& context) {
        return codec::decode_struct(view, &out, *reflect::struct_info<T>(), context);
    }
};

}  // namespace lanyard

#include <lanyard/codec_types.hpp>

namespace lanyard {

namespace reflect {

template <class T>
Shape const& shape_of() {
    if constexpr (requires { Codec<T>::shape; }) {
        return Codec<T>::shape;
    } else if constexpr (requires { Codec<T>::schema(); }) {
        static constexpr Shape shape{.kind = Shape::Kind::custom, .custom = &Codec<T>::schema};
        return shape;
    } else {
        static constexpr Shape shape{.kind = Shape::Kind::any};
        return shape;
    }
}

}  // namespace reflect

namespace codec {

template <class T>
constexpr void require_codec() noexcept {
    static_assert(reflect::has_codec<T>(),
                  "T has no codec: describe it with LANYARD_STRUCT or LANYARD_ENUM, or specialize "
                  "lanyard::Codec<T>");
}

template <class T>
constexpr void require_readable() noexcept {
    require_codec<T>();
    if constexpr (reflect::has_codec<T>()) {
        static_assert(reflect::is_readable<T>(),
                      "T, or a type inside it, can only be written: use std::vector instead of "
                      "std::span, and std::string instead of std::string_view");
    }
    if constexpr (reflect::DescribedStruct<T>) {
        reflect::detail::require_readable_members(reflect::description<T>);
    }
}

/// An aggregate type that is not trivially destructible. Inside a co_await expression, g++ before
/// 14 destroys temporary objects of such a type twice.
template <class T>
concept UnsafeTemporary = std::is_aggregate_v<std::remove_cvref_t<T>> &&
                          !std::is_trivially_destructible_v<std::remove_cvref_t<T>>;

}  // namespace codec

/// Writes the value as JSON.
template <class T>
void encode(json::Writer& writer, T const& value, EncodeContext const& context = {}) {
    codec::require_codec<T>();
    reflect::encode_erased<T>(writer, &value, context);
}

/// Returns the value as compact JSON text.
template <class T>
std::string to_json_text(T const& value, EncodeContext const& context = {}) {
    std::string text;
    json::Writer writer(text);
    encode(writer, value, context);
    return text;
}

/// Returns the value as RawJson.
template <class T>
RawJson to_raw_json(T const& value, EncodeContext const& context = {}) {
    return RawJson::trusted(to_json_text(value, context));
}

/// Returns the value as a JSON tree.
template <class T>
Json to_json(T const& value, EncodeContext const& context = {}) {
    return to_raw_json(value, context).to_json();
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
// These overloads for temporaries are deleted, because g++ before 14 destroys such a temporary
// twice in a co_await expression. Give the value a name first.
template <codec::UnsafeTemporary T>
std::string to_json_text(T const&& value, EncodeContext const& context = {}) = delete;
template <codec::UnsafeTemporary T>
RawJson to_raw_json(T const&& value, EncodeContext const& context = {}) = delete;
template <codec::UnsafeTemporary T>
Json to_json(T const&& value, EncodeContext const& context = {}) = delete;
#endif

/// Decodes a T. If a version is given, the rules of that protocol revision apply; see
/// DecodeContext.
template <class T>
Result<T, DecodeError> decode(json::View view, std::optional<Version> version = std::nullopt) {
    codec::require_readable<T>();
    Result<T, DecodeError> result;
    DecodeContext context(version);
    if (!reflect::decode_erased<T>(view, &*result, context)) {
        result = Unexpected(context.take_error());
    }
    return result;
}

/// Decodes a T from JSON text that the options limit.
template <class T>
Result<T, DecodeError> decode_text(std::string_view text,
                                   std::optional<Version> version = std::nullopt,
                                   json::ParseOptions const& options = {}) {
    json::Document document;
    auto const root = document.parse(text, options);
    if (!root) return Unexpected(codec::not_json(root.error()));
    return decode<T>(*root, version);
}

/// Decodes a T from raw JSON of any size.
template <class T>
Result<T, DecodeError> decode(RawJson const& raw, std::optional<Version> version = std::nullopt) {
    json::ParseOptions options;
    options.max_bytes = raw.text().size();
    return decode_text<T>(raw.text(), version, options);
}

/// Decodes a T from a JSON tree.
template <class T>
Result<T, DecodeError> decode(Json const& json, std::optional<Version> version = std::nullopt) {
    return decode<T>(RawJson(json), version);
}

}  // namespace lanyard

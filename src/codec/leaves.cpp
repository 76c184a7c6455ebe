// Scalars, strings, dynamic values and enumerations.
#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "codec/message.hpp"
#include "lanyard/codec.hpp"

namespace lanyard::codec {

namespace {

bool fail_integer(json::View view, DecodeContext& context) {
    if (context.quiet()) return false;
    if (view.kind() != json::Kind::real) return context.fail_expected("an integer", view);
    return context.fail("must be an integer, got ", shown(view));
}

bool fail_below(json::View view, reflect::Number bound, DecodeContext& context) {
    if (context.quiet()) return false;
    return context.fail("must be at least ", to_string(bound), ", got ", shown(view));
}

bool fail_above(json::View view, reflect::Number bound, DecodeContext& context) {
    if (context.quiet()) return false;
    return context.fail("must be at most ", to_string(bound), ", got ", shown(view));
}

std::optional<std::int64_t> integer_of(json::View view, std::int64_t) noexcept {
    return view.as_int64();
}
std::optional<std::uint64_t> integer_of(json::View view, std::uint64_t) noexcept {
    return view.as_uint64();
}

template <class Integer>
bool decode_any_integer(json::View view, Integer minimum, Integer maximum, Integer& out,
                        DecodeContext& context) {
    auto value = integer_of(view, Integer{});
    if (!value) {
        // The value is either an integer outside of the type's range or a real number. The bounds
        // of the type are powers of two, which doubles represent exactly.
        auto const real = view.as_double();
        if (!real || *real != std::trunc(*real)) return fail_integer(view, context);
        if (*real < static_cast<double>(std::numeric_limits<Integer>::min())) {
            return fail_below(view, minimum, context);
        }
        if (*real >= std::ldexp(1.0, std::numeric_limits<Integer>::digits)) {
            return fail_above(view, maximum, context);
        }
        value = static_cast<Integer>(*real);
    }
    if (*value < minimum) return fail_below(view, minimum, context);
    if (*value > maximum) return fail_above(view, maximum, context);
    out = *value;
    return true;
}

}  // namespace

DecodeError not_json(json::ParseError const& error) {
    return {"", "not valid JSON: " + error.to_string()};
}

bool decode_boolean(json::View view, bool& out, DecodeContext& context) {
    auto const value = view.as_bool();
    if (!value) return context.fail_expected("a boolean", view);
    out = *value;
    return true;
}

bool decode_integer(json::View view, std::int64_t minimum, std::int64_t maximum, std::int64_t& out,
                    DecodeContext& context) {
    return decode_any_integer(view, minimum, maximum, out, context);
}

bool decode_integer(json::View view, std::uint64_t minimum, std::uint64_t maximum,
                    std::uint64_t& out, DecodeContext& context) {
    return decode_any_integer(view, minimum, maximum, out, context);
}

bool decode_real(json::View view, double maximum, double& out, DecodeContext& context) {
    auto const value = view.as_double();
    if (!value) return context.fail_expected("a number", view);
    if (*value > maximum) return fail_above(view, maximum, context);
    if (*value < -maximum) return fail_below(view, -maximum, context);
    out = *value;
    return true;
}

bool decode_string(json::View view, std::string& out, DecodeContext& context) {
    if (!view.is_string()) return context.fail_expected("a string", view);
    out.clear();
    // Reserving memory first is cheaper than letting the string grow while it is appended to.
    if (auto const plain = view.plain_string()) out.reserve(plain->size());
    view.append_string_to(out);
    return true;
}

bool decode_json_object(json::View view, JsonObject& out, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    out = std::move(view.to_json().as_object());
    return true;
}

bool decode_json_array(json::View view, JsonArray& out, DecodeContext& context) {
    if (!view.is_array()) return context.fail_expected("an array", view);
    out = std::move(view.to_json().as_array());
    return true;
}

bool decode_request_id(json::View view, RequestId& out, DecodeContext& context) {
    if (view.is_string()) {
        out = RequestId(*view.as_string());
        return true;
    }
    if (!view.is_number()) return context.fail_expected("a string or an integer", view);
    std::int64_t number = 0;
    if (!decode_integer(view, INT64_MIN, INT64_MAX, number, context)) return false;
    out = RequestId(number);
    return true;
}

bool check_array(json::View view, std::optional<std::size_t> size, DecodeContext& context) {
    if (!view.is_array()) return context.fail_expected("an array", view);
    if (!size || view.size() == *size) return true;
    if (context.quiet()) return false;
    return context.fail("must have exactly ", std::to_string(*size),
                        *size == 1 ? " item, got " : " items, got ", std::to_string(view.size()));
}

void encode_json_object(json::Writer& writer, JsonObject const& object) {
    writer.begin_object();
    for (auto const& member : object) writer.key(member.key()).value(member.value());
    writer.end_object();
}

void encode_json_array(json::Writer& writer, JsonArray const& array) {
    writer.begin_array();
    for (auto const& element : array) writer.value(element);
    writer.end_array();
}

bool decode_enum(json::View view, std::int64_t& out, reflect::EnumInfo const& info,
                 DecodeContext& context) {
    for (auto const& enumerator : info.enumerators) {
        if (view.equals(enumerator.name)) {
            out = enumerator.value;
            return true;
        }
    }
    if (context.quiet()) return false;
    std::string names;
    for (auto const& enumerator : info.enumerators) {
        if (!names.empty()) names += ", ";
        names += quoted(enumerator.name);
    }
    return context.fail("must be one of ", names, ", got ", shown(view));
}

void encode_enum(json::Writer& writer, std::int64_t value, reflect::EnumInfo const& info) {
    for (auto const& enumerator : info.enumerators) {
        if (enumerator.value == value) {
            writer.string(enumerator.name);
            return;
        }
    }
    // The value is not an enumerator, so it is written as a number. A reader recognizes a number as
    // unknown, but might accept an invented name.
    writer.integer(value);
}

}  // namespace lanyard::codec

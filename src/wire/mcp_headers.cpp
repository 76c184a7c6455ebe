#include "wire/mcp_headers.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/ascii.hpp"
#include "json/pointer.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::wire {
namespace {

constexpr std::string_view annotation = "x-mcp-header";
constexpr std::string_view encoded_prefix = "=?base64?";
constexpr std::string_view encoded_suffix = "?=";
// The largest integer up to which every JSON implementation represents integers exactly.
constexpr std::int64_t largest_safe_integer = (std::int64_t{1} << 53) - 1;

Unexpected<DecodeError> invalid(std::string message) {
    return Unexpected(DecodeError{"", std::move(message)});
}

bool is_encoded(std::string_view value) noexcept {
    return value.size() >= encoded_prefix.size() + encoded_suffix.size() &&
           value.starts_with(encoded_prefix) && value.ends_with(encoded_suffix);
}

constexpr bool is_printable(char c) noexcept {
    return c >= ' ' && c <= '~';
}

std::string lower_case(std::string text) {
    for (char& c : text) c = ascii::to_lower(c);
    return text;
}

std::optional<ParamHeader::Type> header_type(json::View property) noexcept {
    auto const type = property.find("type");
    if (!type) return std::nullopt;
    if (type->equals("string")) return ParamHeader::Type::string;
    if (type->equals("integer")) return ParamHeader::Type::integer;
    if (type->equals("boolean")) return ParamHeader::Type::boolean;
    return std::nullopt;
}

// Collects the annotations of a schema, visiting every value of the schema once. An annotation that
// is not reached through `properties` alone is an error.
class AnnotationWalk {
public:
    bool walk_schema(json::View schema) {
        if (auto const value = schema.find(annotation)) {
            if (!add(schema, *value)) return false;
        }
        for (auto const& [key, value] : schema.members()) {
            auto const step = enter(key);
            bool const good = key.equals("properties") && value.is_object()
                                  ? walk_properties(value)
                                  : key.equals(annotation) || walk_elsewhere(value);
            if (!good) return false;
            leave(step);
        }
        return true;
    }

    std::vector<ParamHeader> headers;
    DecodeError error;

private:
    bool walk_properties(json::View properties) {
        for (auto const& [key, value] : properties.members()) {
            auto const step = enter(key);
            path_.push_back(*key.as_string());
            if (!walk_schema(value)) return false;
            path_.pop_back();
            leave(step);
        }
        return true;
    }

    // Visits a part of the schema that may not contain annotations.
    bool walk_elsewhere(json::View value) {
        std::size_t index = 0;
        for (auto const element : value.elements()) {
            auto const step = pointer_.size();
            pointer_ += "/" + std::to_string(index++);
            if (!walk_elsewhere(element)) return false;
            leave(step);
        }
        for (auto const& [key, member] : value.members()) {
            auto const step = enter(key);
            if (key.equals(annotation) && member.is_string()) {
                return fail("may only stand on a property that is reached through \"properties\"");
            }
            if (!walk_elsewhere(member)) return false;
            leave(step);
        }
        return true;
    }

    bool add(json::View schema, json::View value) {
        auto const size = pointer_.size();
        json::append_pointer_step(pointer_, annotation);
        if (path_.empty()) return fail("may not stand on the whole schema");
        auto const name = value.as_string();
        if (!name) return fail("must be a string");
        if (name->empty()) return fail("must not be empty");
        if (!std::ranges::all_of(*name, ascii::is_token_character))
            return fail("must be an HTTP field name");
        auto const type = header_type(schema);
        if (!type) return fail("may only stand on a string, an integer or a boolean");
        if (!names_.insert(lower_case(*name)).second) {
            return fail("\"" + *name + "\" is used twice");
        }
        headers.push_back({*name, path_, *type});
        leave(size);
        return true;
    }

    bool fail(std::string message) {
        error = {pointer_, std::move(message)};
        return false;
    }

    std::size_t enter(json::View key) {
        auto const size = pointer_.size();
        json::append_pointer_step(pointer_, *key.as_string());
        return size;
    }
    void leave(std::size_t size) { pointer_.resize(size); }

    std::string pointer_;
    std::vector<std::string> path_;
    std::set<std::string> names_;
};

std::optional<json::View> argument_at(ParamHeader const& header,
                                      std::optional<json::View> arguments) {
    for (auto const& name : header.path) {
        if (!arguments) return std::nullopt;
        arguments = arguments->find(name);
    }
    return arguments && !arguments->is_null() ? arguments : std::nullopt;
}

// Returns the value if it is an integer in the range that is allowed in a header. An integer may
// also be written as a real number (42.0).
std::optional<std::int64_t> safe_integer(json::View value) noexcept {
    auto const number = value.as_double();
    if (!number || *number < -static_cast<double>(largest_safe_integer) ||
        *number > static_cast<double>(largest_safe_integer)) {
        return std::nullopt;
    }
    auto const integer = static_cast<std::int64_t>(*number);
    if (static_cast<double>(integer) != *number) return std::nullopt;
    return integer;
}

std::optional<std::int64_t> safe_integer(std::string_view text) {
    json::Document document;
    auto const value = document.parse(text);
    return value ? safe_integer(*value) : std::nullopt;
}

// Returns the argument as text, not yet encoded for a header; nullopt if its type contradicts the
// schema.
std::optional<std::string> argument_text(ParamHeader const& header, json::View value) {
    switch (header.type) {
        case ParamHeader::Type::string:
            return value.as_string();
        case ParamHeader::Type::integer:
            if (auto const integer = safe_integer(value)) return std::to_string(*integer);
            return std::nullopt;
        default:
            break;
    }
    auto const boolean = value.as_bool();
    if (!boolean) return std::nullopt;
    return *boolean ? "true" : "false";
}

}  // namespace

std::string encode_header_value(std::string_view value) {
    bool const padded = value.starts_with(' ') || value.ends_with(' ');
    if (std::ranges::all_of(value, is_printable) && !padded && !is_encoded(value)) {
        return std::string(value);
    }
    std::string out(encoded_prefix);
    base64::append_encoded(out, value);
    return out.append(encoded_suffix);
}

Result<std::string, DecodeError> decode_header_value(std::string_view header) {
    if (!std::ranges::all_of(header, [](char c) { return is_printable(c) || c == '\t'; })) {
        return invalid("holds a byte that no header may hold");
    }
    if (!is_encoded(header)) return std::string(header);
    header.remove_prefix(encoded_prefix.size());
    header.remove_suffix(encoded_suffix.size());
    return base64::decode(header);
}

Result<std::vector<ParamHeader>, DecodeError> param_headers(json::View input_schema) {
    AnnotationWalk walk;
    if (!walk.walk_schema(input_schema)) return Unexpected(std::move(walk.error));
    return std::move(walk.headers);
}

std::optional<std::string> param_header_value(ParamHeader const& header,
                                              std::optional<json::View> arguments) {
    auto const value = argument_at(header, arguments);
    auto const text = value ? argument_text(header, *value) : std::nullopt;
    if (!text) return std::nullopt;
    return encode_header_value(*text);
}

Result<void, DecodeError> check_param_header(ParamHeader const& header,
                                             std::optional<json::View> arguments,
                                             std::optional<std::string_view> found) {
    auto const name = std::string(param_header_prefix) + header.name;
    auto const value = argument_at(header, arguments);
    if (!value && found) return invalid("the header " + name + " has no argument");
    if (!value) return {};
    auto const expected = argument_text(header, *value);
    if (!expected) return {};
    if (!found) return invalid("the header " + name + " is missing");
    auto const text = decode_header_value(*found);
    if (!text) return invalid("the header " + name + " " + text.error().message);
    bool const same = header.type == ParamHeader::Type::integer
                          ? safe_integer(*text) == safe_integer(*value)
                          : *text == *expected;
    if (!same) return invalid("the header " + name + " differs from the argument");
    return {};
}

}  // namespace lanyard::wire

#include "lanyard/json/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "json/text.hpp"

namespace lanyard::json {

namespace {

// The token is known to be an integer in range.
template <class Integer>
Integer parse_integer(std::string_view token) noexcept {
    bool const negative = token.front() == '-';
    std::uint64_t value = 0;
    for (char const digit : token.substr(negative ? 1 : 0)) {
        value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return static_cast<Integer>(negative ? 0 - value : value);
}

}  // namespace

std::optional<bool> View::as_bool() const noexcept {
    if (kind() != Kind::boolean) return std::nullopt;
    return text_[node().begin] == 't';
}

std::optional<std::int64_t> View::as_int64() const noexcept {
    if (kind() != Kind::integer) return std::nullopt;
    return parse_integer<std::int64_t>(raw());
}

std::optional<std::uint64_t> View::as_uint64() const noexcept {
    if (kind() == Kind::unsigned_integer) return parse_integer<std::uint64_t>(raw());
    auto const value = as_int64();
    if (!value || *value < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<double> View::as_double() const noexcept {
    switch (kind()) {
        case Kind::real:
            return parse_real(raw());
        case Kind::integer:
            return static_cast<double>(parse_integer<std::int64_t>(raw()));
        case Kind::unsigned_integer:
            return static_cast<double>(parse_integer<std::uint64_t>(raw()));
        default:
            return std::nullopt;
    }
}

std::optional<std::string> View::as_string() const {
    if (!is_string()) return std::nullopt;
    std::string out;
    append_string_to(out);
    return out;
}

void View::append_string_to(std::string& out) const {
    if (node().escaped()) {
        append_unescaped(out, characters());
    } else {
        out.append(characters());
    }
}

bool View::equals_decoded(std::string_view expected) const noexcept {
    auto const written = characters();
    // Decoding never makes a string longer, so a longer one cannot be equal.
    if (written.size() < expected.size()) return false;
    std::string decoded;
    append_unescaped(decoded, written);
    return decoded == expected;
}

Json View::to_json() const {
    switch (kind()) {
        case Kind::null:
            return nullptr;
        case Kind::boolean:
            return *as_bool();
        case Kind::integer:
            return *as_int64();
        case Kind::unsigned_integer:
            return *as_uint64();
        case Kind::real:
            return *as_double();
        case Kind::string: {
            if (auto const plain = plain_string()) return boost::json::string(*plain);
            return boost::json::string(*as_string());
        }
        case Kind::array: {
            JsonArray array;
            array.reserve(size());
            for (auto const element : elements()) array.push_back(element.to_json());
            return array;
        }
        case Kind::object:
            break;
    }
    JsonObject object;
    object.reserve(size());
    for (auto const [key, value] : members()) {
        // Where a repeated key was let through, the last one counts.
        if (auto const plain = key.plain_string()) {
            object.insert_or_assign(*plain, value.to_json());
        } else {
            object.insert_or_assign(*key.as_string(), value.to_json());
        }
    }
    return object;
}

}  // namespace lanyard::json

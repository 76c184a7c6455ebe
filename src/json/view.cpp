#include "lanyard/json/document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "json/text.hpp"

namespace lanyard::json {

namespace {

// The token must be an integer within the range of the type.
template <class Integer>
Integer parse_integer(std::string_view token) noexcept {
    bool const negative = token.front() == '-';
    std::uint64_t value = 0;
    for (char const digit : token.substr(negative ? 1 : 0)) {
        value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return static_cast<Integer>(negative ? 0 - value : value);
}

// Builds the tree in place, without moving values from one object to another.
void fill(View view, Json& out) {
    switch (view.kind()) {
        case Kind::null:
            out.emplace_null();
            break;
        case Kind::boolean:
            out.emplace_bool() = *view.as_bool();
            break;
        case Kind::integer:
            out.emplace_int64() = *view.as_int64();
            break;
        case Kind::unsigned_integer:
            out.emplace_uint64() = *view.as_uint64();
            break;
        case Kind::real:
            out.emplace_double() = *view.as_double();
            break;
        case Kind::string: {
            auto& string = out.emplace_string();
            if (auto const plain = view.plain_string()) {
                string.assign(*plain);
            } else {
                string.assign(*view.as_string());
            }
            break;
        }
        case Kind::array: {
            auto& array = out.emplace_array();
            array.reserve(view.size());
            for (auto const element : view.elements()) fill(element, array.emplace_back(nullptr));
            break;
        }
        case Kind::object: {
            auto& object = out.emplace_object();
            object.reserve(view.size());
            for (auto const [key, value] : view.members()) {
                // If the parser accepted repeated keys, the last value counts.
                auto const plain = key.plain_string();
                auto const member = plain ? object.emplace(*plain, nullptr)
                                          : object.emplace(*key.as_string(), nullptr);
                fill(value, member.first->value());
            }
            break;
        }
    }
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
    // Decoding never makes a string longer. So if the undecoded text is shorter than `expected`,
    // they cannot be equal.
    if (written.size() < expected.size()) return false;
    std::string decoded;
    append_unescaped(decoded, written);
    return decoded == expected;
}

Json View::to_json() const {
    Json out;
    fill(*this, out);
    return out;
}

}  // namespace lanyard::json

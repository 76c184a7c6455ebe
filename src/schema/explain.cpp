#include "schema/explain.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/uri.hpp"
#include "lanyard/json/writer.hpp"

namespace lanyard::schema {
namespace {

constexpr std::size_t max_quoted = 80;
constexpr std::size_t max_listed = 12;

// Returns the number of edits (insert, delete, replace, swap of neighbours) that turn one string
// into the other. Both strings must be short.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string_view shown = text;
    if (shown.size() > max_quoted) {
        shown = shown.substr(0, max_quoted);
        // Do not cut inside a character.
        while (!shown.empty() &&
               (static_cast<unsigned char>(text[shown.size()]) & 0xC0U) == 0x80U) {
            shown.remove_suffix(1);
        }
    }
    std::string out = "\"";
    json::append_escaped(out, shown);
    out += shown.size() < text.size() ? "...\"" : "\"";
    return out;
}

std::uint8_t type_bits(std::string_view name) noexcept {
    static constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> types{{
        {"null", type_null},
        {"boolean", type_boolean},
        {"integer", type_integer},
        {"number", type_number},
        {"string", type_string},
        {"array", type_array},
        {"object", type_object},
    }};
    for (auto const& [text, bits] : types) {
        if (text == name) return bits;
    }
    return 0;
}

std::string describe_types(std::uint8_t types) {
    struct Word {
        std::uint8_t bits;
        std::string_view text;
    };
    static constexpr std::array<Word, 7> words{{
        {type_string, "a string"},
        {type_number, "a number"},
        {type_integer, "an integer"},
        {type_boolean, "a boolean"},
        {type_array, "an array"},
        {type_object, "an object"},
        {type_null, "null"},
    }};
    std::vector<std::string_view> listed;
    for (auto const& [bits, text] : words) {
        if ((types & bits) != bits) continue;
        listed.push_back(text);
        types = static_cast<std::uint8_t>(types & ~bits);
    }
    std::string out;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        if (i > 0) out += i + 1 == listed.size() ? " or " : ", ";
        out += listed[i];
    }
    return out;
}

std::string describe(Json const& value) {
    if (value.is_array()) return "an array";
    if (value.is_object()) return "an object";
    if (auto const* text = value.if_string()) return quoted(*text);
    return json::serialize(value);
}

std::string describe_choices(std::span<Json const> values) {
    if (values.size() == 1) return "must be " + describe(values.front());
    std::string out = "must be one of ";
    for (std::size_t i = 0; i < values.size() && i < max_listed; ++i) {
        if (i > 0) out += ", ";
        out += describe(values[i]);
    }
    if (values.size() > max_listed) {
        out += " and " + std::to_string(values.size() - max_listed) + " more";
    }
    return out;
}

std::string_view closest_name(std::span<Name const> names, std::string_view wanted) {
    // Gives no hint for longer names, because comparing them would be too expensive.
    constexpr std::size_t max_length = 40;
    if (wanted.size() > max_length) return {};
    std::size_t const allowed = wanted.size() < 3 ? 1 : wanted.size() < 8 ? 2 : 3;
    std::size_t best = allowed + 1;
    std::string_view found;
    for (Name const& name : names) {
        if (name.node == none || name.text.size() > max_length) continue;
        auto const distance = edit_distance(wanted, name.text);
        if (distance < best && distance < wanted.size()) {
            best = distance;
            found = name.text;
        }
    }
    return found;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::string pointer_to(std::vector<Place> const& places, std::uint32_t place) {
    std::vector<std::string_view> tokens;
    for (; places[place].parent != none; place = places[place].parent) {
        tokens.push_back(places[place].token);
    }
    std::string out;
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
        out += "/" + percent_encode_fragment(*token);
    }
    return out;
}

std::string Program::location(std::uint32_t resource, std::uint32_t place,
                              std::string_view keyword) const {
    std::string out = resources[resource] + "#" + pointer_to(places, place);
    if (!keyword.empty()) out.append("/").append(keyword);
    return out;
}

}  // namespace lanyard::schema

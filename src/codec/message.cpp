#include "codec/message.hpp"

#include <algorithm>
#include <array>

#include "base/utf8.hpp"
#include "lanyard/json/writer.hpp"

namespace lanyard::codec {

namespace {

constexpr std::size_t longest_shown = 60;

constexpr std::size_t longest_name = 32;

// Returns the number of edits (insert, delete, replace, swap of neighbours) that turn a into b.
// Both are at most longest_name bytes long.
std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
    std::array<std::array<std::size_t, longest_name + 1>, 3> rows{};
    for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto& row = rows[i % 3];
        auto const& previous = rows[(i + 2) % 3];
        auto const& before = rows[(i + 1) % 3];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string quoted(std::string_view characters) {
    auto const part = utf8_prefix(characters, longest_shown);
    std::string text = "\"";
    json::append_escaped(text, part);
    if (part.size() < characters.size()) text += "...";
    text += '"';
    return text;
}

std::string shown(json::View view) {
    switch (view.kind()) {
        case json::Kind::string:
            return quoted(*view.as_string());
        case json::Kind::array:
        case json::Kind::object:
            return std::string(json::describe(view.kind()));
        default:
            break;
    }
    auto const raw = view.raw();
    if (raw.size() <= longest_shown) return std::string(raw);
    return std::string(raw.substr(0, longest_shown)) + "...";
}

std::string to_string(reflect::Number number) {
    std::string text;
    json::Writer writer(text);
    switch (number.kind()) {
        case reflect::Number::Kind::integer:
            writer.integer(number.integer());
            break;
        case reflect::Number::Kind::unsigned_integer:
            writer.unsigned_integer(number.unsigned_integer());
            break;
        default:
            writer.real(number.real());
            break;
    }
    return text;
}

void Suggestion::consider(std::string_view candidate) noexcept {
    if (name_.size() > longest_name || candidate.size() > longest_name) return;
    auto const distance = edit_distance(name_, candidate);
    // If more than half of the characters differ, the similarity is a coincidence. This can happen
    // only in short names, because only distances below 3 are considered.
    if (distance >= distance_ || distance * 2 > std::max(name_.size(), candidate.size())) return;
    distance_ = distance;
    best_ = candidate;
}

}  // namespace lanyard::codec

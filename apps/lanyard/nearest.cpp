#include "nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace lanyard::app {
namespace {

// Longer words are not compared, because the cost is the product of the lengths, and because they
// are unlikely to be typing errors.
constexpr std::size_t longest = 60;

/// Levenshtein distance: the number of characters to add, remove or replace.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            std::size_t const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::vector<std::string> const& names) {
    if (typed.empty() || typed.size() > longest) return std::nullopt;
    std::optional<std::string> best;
    std::size_t best_distance = 0;
    for (auto const& name : names) {
        if (name.size() > longest) continue;
        auto const distance = edit_distance(typed, name);
        if (distance > std::max<std::size_t>(2, name.size() / 2)) continue;
        if (best && distance >= best_distance) continue;
        best = name;
        best_distance = distance;
    }
    return best;
}

std::string suggestion(std::string_view typed, std::vector<std::string> const& names,
                       std::string_view alternative) {
    if (auto const name = nearest(typed, names)) return "; did you mean '" + *name + "'?";
    return "; " + std::string(alternative);
}

}  // namespace lanyard::app

#include "nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace lanyard::app {
namespace {

// Longer words are not compared, because the cost is the product of the lengths, and because they
// are unlikely to be typing errors.
constexpr std::size_t longest = 60;

/// The number of characters to add, remove or replace, and of neighbours to exchange.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> before;
    std::vector<std::size_t> last;
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        before = std::move(last);
        last = std::move(row);
        row.assign(to.size() + 1, i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            std::size_t const replaced = last[j] + (from[i] == to[j] ? 0 : 1);
            row[j + 1] = std::min({row[j] + 1, last[j + 1] + 1, replaced});
            bool const exchanged = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
            if (exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
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
        auto const longer = std::max(typed.size(), name.size());
        if (distance > std::max<std::size_t>(1, longer / 3) || distance == longer) continue;
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

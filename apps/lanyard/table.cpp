#include "table.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "characters.hpp"

namespace lanyard::app {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t indentation = 2;
// The minimum width of the first column, which holds the name that users have to type.
constexpr std::size_t least_name_width = 30;
// The minimum width of the other columns.
constexpr std::size_t least_width = 12;

std::size_t total(std::vector<std::size_t> const& widths) {
    return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
}

std::size_t least(std::size_t column, std::size_t natural) {
    return std::min(natural, column == 0 ? least_name_width : least_width);
}

/// Makes the widest column narrower, one step at a time, until the sum fits. Returns nullopt if the
/// smallest widths do not fit.
std::optional<std::vector<std::size_t>> fitted(std::vector<std::size_t> widths, std::size_t width) {
    auto const natural = widths;
    for (auto excess = total(widths); excess > width; --excess) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            if (widths[i] <= least(i, natural[i])) continue;
            if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
        }
        if (widest == nullptr) return std::nullopt;
        --*widest;
    }
    return widths;
}

}  // namespace

std::vector<std::size_t> Table::natural_widths() const {
    std::vector<std::size_t> widths;
    for (auto const& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], columns(row[i]));
        }
    }
    return widths;
}

void Table::print_columns(std::ostream& out, std::vector<std::size_t> const& widths) const {
    for (auto const& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            auto const cell = cut(row[i], widths[i]);
            line += cell + std::string(widths[i] - columns(cell) + gap, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

void Table::print_stacked(std::ostream& out, std::size_t width) const {
    // Prints only the heading of the first column, which names the kind of the rows. The other
    // cells are understood without headings.
    out << cut(rows_.front().front(), width) << '\n';
    auto const inner = width > indentation ? width - indentation : 0;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
        auto const& row = rows_[i];
        out << cut(row.front(), width) << '\n';
        for (std::size_t cell = 1; cell < row.size(); ++cell) {
            if (row[cell].empty()) continue;
            out << std::string(indentation, ' ') << cut(row[cell], inner) << '\n';
        }
    }
}

void Table::print(std::ostream& out, std::size_t width) const {
    auto widths = natural_widths();
    if (width == 0) {
        print_columns(out, widths);
    } else if (auto const narrower = fitted(std::move(widths), width)) {
        print_columns(out, *narrower);
    } else {
        print_stacked(out, width);
    }
}

}  // namespace lanyard::app

// Table: text in columns that fit the width of a terminal.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace lanyard::app {

/// A table with a heading. The first cell of a row names the row.
class Table {
public:
    explicit Table(std::vector<std::string> heading) : rows_{std::move(heading)} {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

    /// Prints the table in lines of at most `width` columns. If the table is too wide, the widest
    /// columns are made narrower and their cells are cut. If that does not suffice, the cells of a
    /// row are printed below each other. If `width` is 0, there is no limit.
    void print(std::ostream& out, std::size_t width) const;

private:
    std::vector<std::size_t> natural_widths() const;
    void print_columns(std::ostream& out, std::vector<std::size_t> const& widths) const;
    void print_stacked(std::ostream& out, std::size_t width) const;

    std::vector<std::vector<std::string>> rows_;
};

}  // namespace lanyard::app

// The table of commands, and the search for the one that a typing error meant.
#include "command.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <numeric>
#include <vector>

namespace lanyard::app {
namespace {

constexpr std::array all_commands{
    Command{"help", "Describe the program or one of its commands", declare_help},
    Command{"selfcheck", "Read, validate and write a message of every protocol revision",
            declare_selfcheck},
    Command{"version", "Print the version and the protocol revisions", declare_version},
};

/// Levenshtein distance: how many characters have to be added, removed or replaced.
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

std::span<Command const> commands() {
    return all_commands;
}

Command const* find_command(std::string_view name) {
    auto const found = std::ranges::find(all_commands, name, &Command::name);
    return found == all_commands.end() ? nullptr : &*found;
}

std::optional<std::string_view> nearest_command(std::string_view typed) {
    // A longer word is no typing error of a command, and the distance costs the product of lengths.
    constexpr std::size_t longest = 40;
    if (typed.empty() || typed.size() > longest) return std::nullopt;
    auto const distance = [&](Command const& command) {
        return edit_distance(typed, command.name);
    };
    auto const nearest = std::ranges::min_element(all_commands, {}, distance);
    if (distance(*nearest) > std::max<std::size_t>(2, nearest->name.size() / 2))
        return std::nullopt;
    return nearest->name;
}

Exit report_unknown_command(std::string_view typed) {
    std::cerr << "lanyard: there is no command '" << typed << "'";
    if (auto const nearest = nearest_command(typed)) {
        std::cerr << "; did you mean '" << *nearest << "'?";
    } else {
        std::cerr << "; 'lanyard help' lists them";
    }
    std::cerr << '\n';
    return Exit::usage;
}

}  // namespace lanyard::app

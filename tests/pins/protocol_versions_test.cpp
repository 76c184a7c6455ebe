// Checks that docs/protocol-versions.md matches the tables of features and methods.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lanyard/protocol/features.hpp"
#include "wire/registry.hpp"

namespace lanyard {
namespace {

using Rows = std::vector<std::string>;

// Returns the rows of the table after a heading, without the header row.
Rows documented(std::string const& heading) {
    std::ifstream in(LANYARD_SOURCE_DIR "/docs/protocol-versions.md");
    EXPECT_TRUE(in) << "docs/protocol-versions.md is missing";
    Rows rows;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) inside = line == "## " + heading;
        if (inside && line.starts_with("|")) rows.push_back(line);
    }
    EXPECT_GT(rows.size(), 2U) << heading;
    return {rows.begin() + 2, rows.end()};
}

template <class Has>
std::string revisions(Has has) {
    std::string cells;
    for (auto const version : all_versions) cells += has(version) ? " yes |" : "  |";
    return cells;
}

Rows method_rows(std::span<MethodInfo const> methods) {
    Rows rows;
    for (auto const& method : methods) {
        constexpr std::string_view senders[] = {"client", "server", "either"};
        std::string row = "| `" + std::string(method.name) + "` | ";
        row.append(senders[static_cast<std::size_t>(method.direction)]).append(" |");
        row += revisions([&](Version version) { return method.in(version); });
        if (method.capability == Capability::none) {
            row += "  |";
        } else {
            row.append(" `").append(to_string(method.capability)).append("` |");
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

TEST(ProtocolVersionsPage, shows_every_feature) {
    Rows rows;
    for (auto const& feature : feature_table) {
        rows.push_back("| " + std::string(feature.name) + " |" + revisions([&](Version version) {
                           return version >= feature.since && version <= feature.until;
                       }));
    }
    EXPECT_THAT(documented("Features"), testing::ElementsAreArray(rows));
}

TEST(ProtocolVersionsPage, shows_every_method) {
    EXPECT_THAT(documented("Requests"),
                testing::UnorderedElementsAreArray(method_rows(wire::all_requests())));
    EXPECT_THAT(documented("Notifications"),
                testing::UnorderedElementsAreArray(method_rows(wire::all_notifications())));
}

}  // namespace
}  // namespace lanyard

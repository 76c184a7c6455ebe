// Pins the numbers of every error, and checks that docs/errors.md matches the code.
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/errors.hpp"

namespace lanyard {
namespace {

using ::testing::ElementsAreArray;

using Row = std::vector<std::string>;
using Table = std::vector<Row>;

std::string trimmed(std::string const& cell) {
    auto const begin = cell.find_first_not_of(' ');
    if (begin == std::string::npos) return {};
    return cell.substr(begin, cell.find_last_not_of(' ') - begin + 1);
}

Row cells_of(std::string const& line) {
    Row cells;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) cells.push_back(trimmed(cell));
    return cells;
}

/// Returns the table after a heading of docs/errors.md, without the header row and the column
/// "Meaning".
Table documented(std::string const& heading) {
    std::ifstream in(LANYARD_SOURCE_DIR "/docs/errors.md");
    EXPECT_TRUE(in) << "docs/errors.md is missing";
    Table table;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) inside = line == "## " + heading;
        if (inside && line.starts_with("|")) table.push_back(cells_of(line));
    }
    if (table.size() < 3) {
        ADD_FAILURE() << "no table under " << heading;
        return {};
    }
    auto const head = table.front();
    table.erase(table.begin(), table.begin() + 2);
    auto const meaning = std::find(head.begin(), head.end(), "Meaning") - head.begin();
    for (auto& row : table) {
        EXPECT_EQ(row.size(), head.size()) << row.front();
        EXPECT_FALSE(row[static_cast<std::size_t>(meaning)].empty()) << row.front();
        row.erase(row.begin() + meaning);
    }
    return table;
}

std::string text(std::string_view view) {
    return std::string(view);
}

std::string yes_no(Advice advice) {
    return recoverable(advice) ? "yes" : "no";
}

TEST(Pins, local_errors_match_their_page) {
    Table expected;
    for (auto const code : all_errcs()) {
        Error const error(code, "");
        expected.push_back({std::to_string(error.code().value()), text(to_string(code)),
                            text(to_string(error.kind())), yes_no(error.advice()),
                            text(to_string(error.advice())),
                            text(wire::row(wire::condition_of(code)).name)});
    }
    EXPECT_THAT(documented("Local errors"), ElementsAreArray(expected));
}

TEST(Pins, conditions_match_their_page) {
    Table expected;
    for (auto const& row : wire::all_conditions()) {
        Row cells{text(row.name)};
        for (auto const code : row.codes) cells.push_back(std::to_string(code));
        cells.push_back(std::to_string(row.legacy_status));
        cells.push_back(std::to_string(row.modern_status));
        cells.push_back(text(to_string(row.kind)));
        cells.push_back(yes_no(row.advice));
        cells.push_back(text(to_string(row.advice)));
        expected.push_back(cells);
    }
    EXPECT_THAT(documented("Conditions"), ElementsAreArray(expected));
}

TEST(Pins, refusals_match_their_page) {
    Table expected;
    for (auto const reason : all_refusal_reasons()) {
        Refusal const refusal(reason, "");
        expected.push_back(
            {std::to_string(refusal.code()), text(to_string(reason)),
             std::to_string(wire::translate(refusal, newest_legacy_version).http_status),
             std::to_string(wire::translate(refusal, newest_version).http_status),
             yes_no(refusal.advice()), text(to_string(refusal.advice()))});
    }
    EXPECT_THAT(documented("Refusals"), ElementsAreArray(expected));
}

TEST(Pins, tool_errors_match_their_page) {
    Table expected;
    for (auto const kind : all_tool_error_kinds()) {
        auto const advice = advice_for(kind);
        expected.push_back({text(to_string(kind)), yes_no(advice), text(to_string(advice))});
    }
    EXPECT_THAT(documented("Failed tools"), ElementsAreArray(expected));
}

/// The versions that use a code for some condition, as the document names them.
std::string versions_using(std::int64_t code) {
    std::vector<Version> users;
    for (auto const version : all_versions) {
        for (auto const& row : wire::all_conditions()) {
            if (row.code(version) == code) {
                users.push_back(version);
                break;
            }
        }
    }
    if (users.size() == all_versions.size()) return "all";
    if (users.size() == 1) return text(to_string(users.front()));
    return users.size() == 4 && users.back() == newest_legacy_version ? "legacy" : "?";
}

TEST(Pins, every_code_on_the_wire_is_documented) {
    std::set<std::string> used;
    for (auto const& row : wire::all_conditions()) {
        for (auto const code : row.codes) used.insert(std::to_string(code));
    }
    std::set<std::string> listed;
    for (auto const& row : documented("Codes")) {
        listed.insert(row[0]);
        EXPECT_EQ(row[2], versions_using(std::stoll(row[0]))) << row[0];
    }
    EXPECT_EQ(listed, used);
}

TEST(Pins, numbers_of_local_errors_are_frozen) {
    std::vector<std::string> const names{
        "closed",          "transport_down",     "unavailable",
        "timeout",         "cancelled",          "unsupported_in_era",
        "not_initialized", "capability_missing", "busy",
        "too_large",       "unauthorized",       "shutdown",
        "failed",          "protocol_violation", "invalid_argument",
        "invalid_phase",   "version_mismatch",   "rate_limited",
        "too_many_pending"};
    std::vector<std::string> actual;
    for (auto const code : all_errcs()) {
        actual.push_back(text(to_string(code)));
        EXPECT_EQ(static_cast<std::size_t>(code), actual.size());
    }
    EXPECT_EQ(actual, names);
}

TEST(Pins, numbers_on_the_wire_are_frozen) {
    EXPECT_EQ(rpc::code::parse_error, -32700);
    EXPECT_EQ(rpc::code::invalid_request, -32600);
    EXPECT_EQ(rpc::code::method_not_found, -32601);
    EXPECT_EQ(rpc::code::invalid_params, -32602);
    EXPECT_EQ(rpc::code::internal_error, -32603);
    EXPECT_EQ(wire::code::rejected_by_user, -1);
    EXPECT_EQ(wire::code::resource_not_found, -32002);
    EXPECT_EQ(wire::code::not_initialized, -32005);
    EXPECT_EQ(wire::code::subscription_failed, -32006);
    EXPECT_EQ(wire::code::timeout, -32009);
    EXPECT_EQ(wire::code::rate_limited, -32010);
    EXPECT_EQ(wire::code::message_too_large, -32012);
    EXPECT_EQ(wire::code::header_mismatch, -32020);
    EXPECT_EQ(wire::code::missing_client_capability, -32021);
    EXPECT_EQ(wire::code::unsupported_version, -32022);
    EXPECT_EQ(wire::code::url_elicitation_required, -32042);
}

TEST(Pins, refusals_and_tool_errors_are_frozen) {
    std::vector<std::string> refusals;
    for (auto const reason : all_refusal_reasons()) {
        refusals.push_back(std::to_string(static_cast<int>(reason)) + " " +
                           text(to_string(reason)));
    }
    EXPECT_THAT(refusals,
                ElementsAreArray({"1001 content_policy", "1002 safety", "1003 rate_limit",
                                  "1004 resource_limits", "1005 permission", "1006 invalid_input",
                                  "1007 unsupported", "1008 temporarily_unavailable",
                                  "1009 dependency", "1010 custom"}));
    std::vector<std::string> kinds;
    for (auto const kind : all_tool_error_kinds()) kinds.push_back(text(to_string(kind)));
    EXPECT_THAT(kinds,
                ElementsAreArray({"failed", "timeout", "cancelled", "invalid_arguments", "disabled",
                                  "result_too_large", "not_allowed", "too_many_concurrent",
                                  "dependency_failed", "schema_invalid"}));
    EXPECT_EQ(wire::tool_error_kind_key, "lanyard/errorKind");
    EXPECT_EQ(wire::reference_key, "lanyard/reference");
}

}  // namespace
}  // namespace lanyard

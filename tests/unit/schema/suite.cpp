#include "unit/schema/suite.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include <lanyard/json.hpp>

#include "support/data.hpp"

namespace lanyard::schema::test {
namespace {

Json parse_file(std::filesystem::path const& path) {
    json::ParseOptions options;
    options.big_integers = true;
    auto parsed = json::parse(lanyard::test::read_file(path), options);
    if (!parsed) {
        ADD_FAILURE() << path << ": " << parsed.error().to_string();
        return nullptr;
    }
    return *std::move(parsed);
}

std::vector<std::filesystem::path> files_in(std::filesystem::path const& folder) {
    std::vector<std::filesystem::path> out;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file()) out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

Options with_remotes(std::filesystem::path const& remotes) {
    Options options;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(remotes)) {
        if (!entry.is_regular_file()) continue;
        auto const name = entry.path().lexically_relative(remotes).generic_string();
        options.document("http://localhost:1234/" + name, parse_file(entry.path()));
    }
    return options;
}

SuiteResult run_folder(std::filesystem::path const& folder, Options const& options) {
    SuiteResult result;
    for (auto const& path : files_in(folder)) {
        auto const groups = parse_file(path);
        for (auto const& group : groups.as_array()) {
            auto const validator = Validator::compile(group.at("schema"), options);
            for (auto const& test : group.at("tests").as_array()) {
                ++result.total;
                bool passed = false;
                std::string why;
                if (!validator) {
                    why = validator.error().to_string();
                } else {
                    Json const& data = test.at("data");
                    bool const wanted = test.at("valid").as_bool();
                    json::ParseOptions parse;
                    parse.big_integers = true;
                    auto const text = json::serialize(data);
                    json::Document document;
                    auto const view = document.parse(text, parse);
                    bool const by_tree = validator->validate(data).has_value();
                    bool const by_view = view && validator->validate(*view).has_value();
                    passed = by_tree == wanted && by_view == wanted &&
                             validator->is_valid(data) == wanted;
                    why = "judged " + std::string(by_tree ? "valid" : "invalid");
                    if (by_tree != by_view) why += " as a tree and otherwise as a view";
                }
                if (passed) {
                    ++result.passed;
                } else {
                    result.failed.push_back(path.filename().string() + ": " +
                                            std::string(group.at("description").as_string()) +
                                            ": " + std::string(test.at("description").as_string()) +
                                            " [" + why + "]");
                }
            }
        }
    }
    return result;
}

}  // namespace lanyard::schema::test

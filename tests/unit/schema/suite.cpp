#include "unit/schema/suite.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "lanyard/json.hpp"
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

// Returns what is wrong with the verdict; empty if it is correct.
std::string judge(Validator const& validator, Json const& data, bool wanted) {
    json::ParseOptions options;
    options.big_integers = true;
    auto const text = json::serialize(data);
    json::Document document;
    auto const view = document.parse(text, options);
    if (!view) return view.error().to_string();
    if (validator.validate(data).has_value() != wanted) return "judged otherwise as a tree";
    if (validator.validate(*view).has_value() != wanted) return "judged otherwise as a view";
    if (validator.is_valid(data) != wanted) return "judged otherwise by is_valid()";
    return {};
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
                auto const why =
                    validator ? judge(*validator, test.at("data"), test.at("valid").as_bool())
                              : validator.error().to_string();
                if (why.empty()) {
                    ++result.passed;
                    continue;
                }
                result.failures.push_back({path.filename().string() + ": " +
                                               std::string(group.at("description").as_string()) +
                                               ": " +
                                               std::string(test.at("description").as_string()),
                                           why});
            }
        }
    }
    return result;
}

}  // namespace lanyard::schema::test

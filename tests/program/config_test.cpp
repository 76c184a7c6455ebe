#include "config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "expect_usage.hpp"

namespace lanyard::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class Config : public testing::Test {
protected:
    Config() {
        folder_ = fs::path(testing::TempDir()) /
                  testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        variables_ = {{"HOME", folder_.string()}, {"TOKEN", "secret"}, {"EMPTY", ""}};
    }
    ~Config() override { fs::remove_all(folder_); }

    std::string write(std::string const& name, std::string const& text) {
        auto const path = folder_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }

    ServerEntry find(std::string const& name, std::optional<std::string> const& file = {}) {
        return find_server(name, file, [this](std::string const& variable) {
            auto const found = variables_.find(variable);
            return found == variables_.end() ? std::nullopt
                                             : std::optional<std::string>(found->second);
        });
    }

    std::string refused(std::string const& entry) {
        auto const file = write("bad.json", R"({"mcpServers":{"x":)" + entry + "}}");
        return usage_text([&] { find("x", file); });
    }

    fs::path folder_;
    std::map<std::string, std::string> variables_;
};

TEST_F(Config, holds_servers_as_clients_write_them) {
    auto const file = write("c.json", R"({"mcpServers":{"files":{"command":"npx",
        "args":["-y","files"],"env":{"A":"1"},"cwd":"/tmp","type":"stdio"},
        "web":{"url":"https://example.com/mcp","headers":{"X-Key":"a"}},"surf":{"serverUrl":"https://example.com/w"}}})");
    auto const files = find("files", file);
    EXPECT_EQ(files.name, "files");
    EXPECT_THAT(files.command, ElementsAre("npx", "-y", "files"));
    EXPECT_THAT(files.environment, ElementsAre(Pair("A", "1")));
    EXPECT_EQ(files.working_directory, "/tmp");
    EXPECT_EQ(find("web", file).url, "https://example.com/mcp");
    EXPECT_THAT(find("web", file).headers, ElementsAre(Pair("X-Key", "a")));
    EXPECT_EQ(find("surf", file).url, "https://example.com/w");
}

TEST_F(Config, accepts_the_key_of_visual_studio_code) {
    auto const file = write("c.json", R"({"servers":{"x":{"command":"x"}}})");
    EXPECT_THAT(find("x", file).command, ElementsAre("x"));
}

TEST_F(Config, expands_variables) {
    auto const file = write("c.json", R"({"mcpServers":{"x":{"command":"${HOME}/x",
        "args":["a${TOKEN}b","${env:TOKEN}","${NONE:-fallback}","${EMPTY:-fallback}","${EMPTY}"]}}})");
    EXPECT_THAT(find("x", file).command, ElementsAre(folder_.string() + "/x", "asecretb", "secret",
                                                     "fallback", "fallback", ""));
    EXPECT_THAT(refused(R"({"command":"${NONE}"})"), HasSubstr("uses ${NONE}, which is not set"));
    EXPECT_THAT(refused(R"({"command":"${NONE"})"), HasSubstr("has a \"${\" without \"}\""));
}

TEST_F(Config, errors_name_the_problem_and_its_place) {
    EXPECT_THAT(refused("5"), HasSubstr("bad.json: server 'x' must be an object"));
    EXPECT_THAT(refused("{}"), HasSubstr("must have either a \"command\" or a \"url\""));
    EXPECT_THAT(refused(R"({"command":"a","url":"b"})"), HasSubstr("must have either"));
    EXPECT_THAT(refused(R"({"command":1})"), HasSubstr("\"command\" that is not a string"));
    EXPECT_THAT(refused(R"({"command":"a","args":"b"})"), HasSubstr("\"args\" that are not"));
    EXPECT_THAT(refused(R"({"command":"a","args":[1]})"), HasSubstr("\"args\" that is not"));
    EXPECT_THAT(refused(R"({"command":"a","env":[]})"), HasSubstr("\"env\" that is not an object"));
    EXPECT_THAT(refused(R"({"command":"a","env":{"B":1}})"), HasSubstr("\"env.B\" that is not"));
}

TEST_F(Config, must_be_json) {
    EXPECT_THAT(usage_text([&] { find("x", write("a.json", "{oops")); }),
                HasSubstr("a.json is not JSON"));
    EXPECT_THAT(usage_text([&] { find("x", write("b.json", "[]")); }),
                HasSubstr("b.json must hold a JSON object"));
    EXPECT_THAT(usage_text([&] { find("x", write("c.json", R"({"mcpServers":[]})")); }),
                HasSubstr("\"mcpServers\" must be an object"));
    EXPECT_EQ(usage_text([&] { find("x", "/no/such.json"); }),
              "the configuration file '/no/such.json' cannot be read");
}

TEST_F(Config, suggests_the_nearest_server) {
    auto const file = write("c.json", R"({"mcpServers":{"weather":{"command":"w"}}})");
    EXPECT_EQ(usage_text([&] { find("wether", file); }),
              "there is no server 'wether' in " + file + "; did you mean 'weather'?");
    EXPECT_THAT(usage_text([&] { find("something-else", file); }), HasSubstr("after --"));
}

TEST_F(Config, is_searched_in_the_folders_of_clients) {
    EXPECT_THAT(usage_text([&] { find("no-such-server-anywhere"); }),
                HasSubstr("no configuration file was found"));
    write(".claude.json", R"({"mcpServers":{"x":{"command":"claude"},"y":{"command":"y"}}})");
    write(".config/lanyard/mcp.json", R"({"mcpServers":{"x":{"command":"own"}}})");
    EXPECT_THAT(find("x").command, ElementsAre("own"));
    EXPECT_THAT(find("y").command, ElementsAre("y"));
    variables_["XDG_CONFIG_HOME"] = (folder_ / "xdg").string();
    EXPECT_THAT(find("x").command, ElementsAre("claude"));
    variables_["LANYARD_CONFIG"] = write("l.json", R"({"mcpServers":{"x":{"command":"first"}}})");
    EXPECT_THAT(find("x").command, ElementsAre("first"));
}

TEST(ProcessEnvironment, finds_variables_that_are_set) {
    EXPECT_TRUE(process_environment("PATH"));
    EXPECT_FALSE(process_environment("LANYARD_NO_SUCH_VARIABLE"));
}

TEST_F(Config, lists_its_servers_without_replacing_variables) {
    auto const file = write("c.json", R"({"mcpServers":{
        "web":{"url":"https://example.com/${UNSET}"},
        "files":{"command":"npx","args":["${TOKEN}"]}}})");
    auto const entries = list_servers(file);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].name, "web");
    EXPECT_EQ(entries[0].url, "https://example.com/${UNSET}");
    EXPECT_EQ(entries[1].name, "files");
    EXPECT_THAT(entries[1].command, ElementsAre("npx", "${TOKEN}"));
    EXPECT_TRUE(list_servers(write("none.json", "{}")).empty());
    auto const odd = write("odd.json", R"({"mcpServers":{"odd":{},"web":{"url":"https://a"}}})");
    auto const rest = list_servers(odd);
    ASSERT_EQ(rest.size(), 2U);
    EXPECT_EQ(rest[0].name, "odd");
    EXPECT_THAT(rest[0].problem, HasSubstr("server 'odd' must have either a \"command\""));
    EXPECT_EQ(rest[1].url, "https://a");
    EXPECT_EQ(rest[1].problem, "");
    EXPECT_EQ(usage_text([&] { list_servers("/no/such"); }),
              "the configuration file '/no/such' cannot be read");
}

}  // namespace
}  // namespace lanyard::app

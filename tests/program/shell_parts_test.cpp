// The parts of `lanyard shell`: words of a line, completion, the file of the history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "expect_usage.hpp"
#include "history_file.hpp"
#include "shell_completion.hpp"
#include "shell_words.hpp"

namespace lanyard::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShellWords, are_separated_by_spaces) {
    EXPECT_THAT(split_line(""), IsEmpty());
    EXPECT_THAT(split_line(" \t "), IsEmpty());
    EXPECT_THAT(split_line("call  add\ta=1 b=2 "), ElementsAre("call", "add", "a=1", "b=2"));
    EXPECT_THAT(split_line("  # a comment"), IsEmpty());
    EXPECT_THAT(split_line("a #b"), ElementsAre("a", "#b"));
}

TEST(ShellWords, may_be_quoted) {
    EXPECT_THAT(split_line("echo text='a  b' \"c \\\" d\" e\\ f ''"),
                ElementsAre("echo", "text=a  b", "c \" d", "e f", ""));
    EXPECT_THAT(split_line("'a\\b' \"\\n\""), ElementsAre("a\\b", "\\n"));
    EXPECT_EQ(usage_text([] { split_line("call 'open"); }), "the ' in column 6 is not closed");
    EXPECT_EQ(usage_text([] { split_line("\"open\\"); }), "the \" in column 1 is not closed");
}

TEST(ShellWords, need_no_quotes_for_json) {
    EXPECT_THAT(split_line(R"(call add {"a": 1, "b": {"c": "} ' \" "}} x)"),
                ElementsAre("call", "add", R"({"a": 1, "b": {"c": "} ' \" "}})", "x"));
    EXPECT_THAT(split_line(R"(a:=[1, "x y"] b=[2, 3] c:="d e" f="g h")"),
                ElementsAre(R"(a:=[1, "x y"])", "b=[2, 3]", R"(c:="d e")", "f=g h"));
    EXPECT_EQ(usage_text([] { split_line("a:={\"b\": 1"); }), "the { in column 4 is not closed");
    EXPECT_EQ(usage_text([] { split_line("a:={\"b"); }), "the \" in column 5 is not closed");
    EXPECT_EQ(usage_text([] { split_line("a:=\"b\\"); }), "the \" in column 4 is not closed");
}

TEST(ShellWords, are_the_same_after_quoting) {
    for (auto const* word : {"plain", "", "a b", "it's", "{x}", "a\\b", "#x", "\"", "größer"}) {
        EXPECT_THAT(split_line(quoted(word)), ElementsAre(word));
    }
    EXPECT_EQ(quoted("plain"), "plain");
}

ShellCatalog catalog() {
    Tool add;
    add.name = "add";
    add.input_schema = RawJson::trusted(
        R"({"properties":{"way":{"enum":["up","down"]},"wide":{"type":"boolean"},"n":{}}})");
    Tool address;
    address.name = "address";
    Resource resource;
    resource.uri = "demo://counter";
    ResourceTemplate templated;
    templated.uri_template = "demo://table/{table}/{+row,page*}";
    Prompt prompt;
    prompt.name = "review";
    PromptArgument language;
    language.name = "language";
    prompt.arguments = {language};
    Prompt spaced;
    spaced.name = "two words";
    return {{add, address}, {resource}, {templated}, {prompt, spaced}};
}

std::vector<std::string> candidates(std::string_view text) {
    return continuations(text, catalog()).words;
}

TEST(ShellCompletion, finds_commands) {
    EXPECT_THAT(candidates("co"), ElementsAre("complete"));
    EXPECT_THAT(candidates("p"), ElementsAre("ping", "prompt"));
    EXPECT_EQ(candidates("").size(), shell_commands().size());
    EXPECT_THAT(candidates("help de"), ElementsAre("describe"));
    EXPECT_THAT(candidates("nonsense "), IsEmpty());
    EXPECT_EQ(find_shell_command("nonsense"), nullptr);
}

TEST(ShellCompletion, finds_names_of_the_server) {
    EXPECT_THAT(candidates("call a"), ElementsAre("add", "address"));
    EXPECT_THAT(candidates("call --json add"), ElementsAre("add", "address"));
    EXPECT_THAT(candidates("describe add"), ElementsAre("add", "address"));
    EXPECT_THAT(candidates("describe add "), IsEmpty());
    EXPECT_THAT(candidates("read "), ElementsAre("demo://counter", "demo://table/"));
    EXPECT_THAT(candidates("prompt "), ElementsAre("'two words'", "review"));
    EXPECT_THAT(candidates("prompt t"), IsEmpty());
    EXPECT_THAT(candidates("complete demo"),
                ElementsAre());  // the template needs quotes, which the typed text has not
    EXPECT_THAT(candidates("complete r"), ElementsAre("review"));
}

TEST(ShellCompletion, finds_arguments_and_their_choices) {
    EXPECT_THAT(candidates("call add "), ElementsAre("n=", "way=", "wide="));
    EXPECT_THAT(candidates("call add way=up w"), ElementsAre("wide="));
    EXPECT_THAT(candidates("call add n:=1 n"), IsEmpty());
    EXPECT_THAT(candidates("call add way="), ElementsAre("way=down", "way=up"));
    EXPECT_THAT(candidates("call add wide=t"), ElementsAre("wide=true"));
    EXPECT_THAT(candidates("call unknown "), IsEmpty());
    EXPECT_THAT(candidates("prompt review "), ElementsAre("language="));
    EXPECT_THAT(candidates("complete review l"), ElementsAre("language="));
    EXPECT_THAT(candidates("complete 'demo://table/{table}/{+row,page*}' "),
                ElementsAre("page=", "row=", "table="));
}

TEST(ShellCompletion, finds_options_lists_and_levels) {
    EXPECT_THAT(candidates("call add --"),
                ElementsAre("--help", "--json", "--no-check", "--output", "--pretty"));
    EXPECT_THAT(candidates("ping --j"), ElementsAre("--json"));
    EXPECT_THAT(candidates("list tools t"), ElementsAre("templates", "tools"));
    EXPECT_THAT(candidates("log e"), ElementsAre("emergency", "error"));
}

TEST(ShellCompletion, leaves_out_names_with_control_characters) {
    ShellCatalog catalog;
    for (auto const* name :
         {"plain", "p\x1B[2J", "p\u009B", "p\u202Eq", "p\u2028", "p\nq", "p\tq"}) {
        catalog.tools.emplace_back().name = name;
    }
    EXPECT_THAT(continuations("call p", catalog).words, ElementsAre("plain"));
    EXPECT_THAT(continuations("call ", catalog).words, ElementsAre("plain"));
}

TEST(ShellCompletion, leaves_quoted_words_alone) {
    EXPECT_THAT(candidates("call 'a"), IsEmpty());
    EXPECT_THAT(candidates("call 'a b"), IsEmpty());
    EXPECT_EQ(continuations("call a", catalog()).start, 5U);
}

class HistoryFileTest : public testing::Test {
protected:
    HistoryFileTest() {
        std::string name = "/tmp/lanyard-history-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~HistoryFileTest() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path path() const { return folder_ / "state" / "history"; }
    mode_t mode() const {
        struct stat info{};
        EXPECT_EQ(stat(path().c_str(), &info), 0);
        return info.st_mode & 0777U;
    }

private:
    std::filesystem::path folder_;
};

TEST_F(HistoryFileTest, keeps_lines_for_the_user_only) {
    HistoryFile const file(path());
    EXPECT_THAT(file.load(), IsEmpty());
    umask(0);
    file.add("list");
    EXPECT_EQ(mode(), 0600U);
    std::filesystem::permissions(path(), std::filesystem::perms::all);
    file.add("call add a=1");
    EXPECT_EQ(mode(), 0600U);
    umask(022);
    EXPECT_THAT(file.load(), ElementsAre("list", "call add a=1"));
}

TEST_F(HistoryFileTest, leaves_out_lines_that_begin_with_a_space) {
    HistoryFile const file(path());
    for (auto const* line : {"", " call secret", "a\tb", "\x1B[A", "kept"}) file.add(line);
    EXPECT_THAT(file.load(), ElementsAre("kept"));
}

TEST_F(HistoryFileTest, removes_old_lines) {
    HistoryFile const file(path());
    file.add("first");
    std::ofstream(path(), std::ios::app) << [] {
        std::string text;
        for (std::size_t i = 1; i <= HistoryFile::max_lines; ++i) {
            text += "line " + std::to_string(i) + "\n";
        }
        return text;
    }();
    auto const lines = file.load();
    EXPECT_EQ(lines.size(), HistoryFile::max_lines);
    EXPECT_EQ(lines.front(), "line 1");
    std::ifstream stored(path());
    std::string const text(std::istreambuf_iterator<char>(stored), {});
    EXPECT_EQ(text.find("first"), std::string::npos);
    EXPECT_EQ(mode(), 0600U);
}

TEST_F(HistoryFileTest, does_not_follow_a_symbolic_link) {
    std::filesystem::create_directories(path().parent_path());
    auto const target = path().parent_path() / "target";
    std::ofstream(target) << "";
    std::filesystem::create_symlink(target, path());
    HistoryFile(path()).add("list");
    EXPECT_EQ(std::filesystem::file_size(target), 0U);
}

TEST(HistoryPath, is_in_the_state_folder) {
    auto const path = [](std::map<std::string, std::string> variables) {
        return history_path([&](std::string const& name) -> std::optional<std::string> {
            auto const found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
    };
    EXPECT_EQ(path({{"XDG_STATE_HOME", "/s"}, {"HOME", "/h"}}), "/s/lanyard/history");
    EXPECT_EQ(path({{"XDG_STATE_HOME", "s"}, {"HOME", "/h"}}), "/h/.local/state/lanyard/history");
    EXPECT_EQ(path({{"HOME", "/h"}}), "/h/.local/state/lanyard/history");
    EXPECT_EQ(path({}), std::nullopt);
}

}  // namespace
}  // namespace lanyard::app

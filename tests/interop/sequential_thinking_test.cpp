// Our client against @modelcontextprotocol/server-sequential-thinking: a tool that coerces its
// arguments and has state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interop/peer_process.hpp"
#include "lanyard/reflect.hpp"

namespace lanyard::interop {

struct Thought {
    std::string thought;
    bool next_needed = false;
    int number = 0;
    int total = 0;
    std::optional<int> branch_from;
    std::optional<std::string> branch;
};
LANYARD_STRUCT(Thought, thought, (next_needed, name{"nextThoughtNeeded"}),
               (number, name{"thoughtNumber"}), (total, name{"totalThoughts"}),
               (branch_from, name{"branchFromThought"}), (branch, name{"branchId"}))

struct Thoughts {
    int number = 0;
    int total = 0;
    bool next_needed = false;
    std::vector<std::string> branches;
    int kept = 0;
};
LANYARD_STRUCT(Thoughts, (number, name{"thoughtNumber"}), (total, name{"totalThoughts"}),
               (next_needed, name{"nextThoughtNeeded"}), branches,
               (kept, name{"thoughtHistoryLength"}))

namespace {

blocking::Client connect() {
    auto options = npm_server("server-sequential-thinking/dist/index.js");
    options.variable("DISABLE_THOUGHT_LOGGING", "true");
    return blocking::connect(child_process(options));
}

TEST(SequentialThinking, keeps_thoughts_and_branches) {
    auto const client = connect();
    client.list_tools();  // so that results are checked against the schema
    Thought const first{"one", true, 1, 2, {}, {}};
    auto const begun = client.call<Thoughts>("sequentialthinking", first);
    EXPECT_EQ(begun.kept, 1);
    EXPECT_TRUE(begun.next_needed);
    EXPECT_THAT(begun.branches, testing::IsEmpty());

    // A number above the total raises the total.
    Thought const other{"another", false, 3, 2, 1, "b"};
    auto const branched = client.call<Thoughts>("sequentialthinking", other);
    EXPECT_EQ(branched.kept, 2);
    EXPECT_EQ(branched.total, 3);
    EXPECT_THAT(branched.branches, testing::ElementsAre("b"));
}

TEST(SequentialThinking, refuses_wrong_arguments) {
    auto const client = connect();
    Thought const wrong{"zero", false, 0, 1, {}, {}};
    try {
        client.call<Thoughts>("sequentialthinking", wrong);
        FAIL() << "the numbers begin at 1";
    } catch (ToolError const& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("thoughtNumber"));
    }
}

}  // namespace
}  // namespace lanyard::interop

#include "http/mcp/session_ids.hpp"

#include <gtest/gtest.h>

#include <set>

namespace lanyard::http {
namespace {

TEST(SessionIds, lead_to_the_loop_that_has_the_session) {
    SessionIds const ids(system_random(), 64);
    std::set<std::string> all;
    for (std::size_t loop = 0; loop < 64; ++loop) {
        auto const id = ids.make(loop);
        EXPECT_EQ(id.size(), SessionIds::size);
        EXPECT_EQ(ids.loop_of(id), loop) << id;
        all.insert(id);
    }
    EXPECT_EQ(all.size(), 64U);
}

// The last two characters would show the loop if they were not masked: all ids of one loop would
// have the same ones.
TEST(SessionIds, do_not_show_their_loop) {
    SessionIds const ids(system_random(), 2);
    std::set<std::string> endings;
    for (int i = 0; i < 100; ++i) endings.insert(ids.make(1).substr(22));
    EXPECT_GT(endings.size(), 50U);
}

// A client that changes a character of the random part does not know where the new id leads.
TEST(SessionIds, of_a_client_lead_to_any_loop) {
    SessionIds const ids(system_random(), 4);
    std::set<std::size_t> loops;
    for (int i = 0; i < 200; ++i) {
        auto id = ids.make(0);
        id[3] = id[3] == 'A' ? 'B' : 'A';
        loops.insert(ids.loop_of(id));
    }
    EXPECT_EQ(loops.size(), 4U);
}

// Ids of a former process, which had another key and more loops, are mapped and not refused.
TEST(SessionIds, of_other_processes_lead_to_a_loop_of_this_one) {
    SessionIds const former(system_random(), 4096);
    SessionIds const ids(system_random(), 3);
    std::set<std::size_t> loops;
    for (std::size_t i = 0; i < 300; ++i) {
        auto const id = former.make(i % 4096);
        auto const loop = ids.loop_of(id);
        EXPECT_LT(loop, 3U);
        EXPECT_EQ(ids.loop_of(id), loop) << "always the same loop";
        loops.insert(loop);
    }
    EXPECT_EQ(loops.size(), 3U);
    EXPECT_EQ(ids.loop_of(""), 0U);
    EXPECT_EQ(ids.loop_of("too short"), 0U);
    EXPECT_EQ(ids.loop_of("no base64 at its end!!!!"), 0U);
}

TEST(SessionIds, of_a_single_loop_are_random) {
    SessionIds const ids(system_random());
    auto const id = ids.make(0);
    EXPECT_EQ(id.size(), SessionIds::size);
    EXPECT_EQ(ids.loop_of(id), 0U);
}

}  // namespace
}  // namespace lanyard::http

// Tools that answer after a delay, and the number of calls that have not ended.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "lanyard/reflect.hpp"
#include "lanyard/server/server.hpp"
#include "lanyard/time_source.hpp"

namespace lanyard::test {

struct Turn {
    int number = 0;
    int after_us = 0;
};
LANYARD_STRUCT(Turn, number, after_us)

inline Task<std::string> take_turn(Turn turn, std::shared_ptr<std::atomic<int>> under_way) {
    struct Count {
        explicit Count(std::atomic<int>& value) : count(value) { ++count; }
        ~Count() { --count; }
        Count(Count const&) = delete;
        Count& operator=(Count const&) = delete;
        std::atomic<int>& count;
    } const counted(*under_way);
    co_await sleep_for(std::chrono::microseconds(turn.after_us));
    co_return std::to_string(turn.number);
}

inline void add_turns(Server& server) {
    auto const under_way = std::make_shared<std::atomic<int>>(0);
    server.tool("turn", "Answers with its number a moment later",
                [under_way](Turn turn) { return take_turn(std::move(turn), under_way); });
    server.tool("under_way", "How many turns have not ended",
                [under_way] { return std::to_string(under_way->load()); });
}

}  // namespace lanyard::test

#include "server/core/worker_pool.hpp"

#include <future>
#include <latch>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lanyard::server {
namespace {

using namespace std::chrono_literals;

// Blocks jobs until it is opened.
class Gate {
public:
    std::function<void()> job() {
        return [opened = opened_] { opened.wait(); };
    }
    void open() { open_.set_value(); }

private:
    std::promise<void> open_;
    std::shared_future<void> opened_{open_.get_future()};
};

bool runs(WorkerPool& pool, std::string_view client) {
    auto done = std::make_shared<std::promise<void>>();
    auto ran = done->get_future();
    return pool.submit(client, [done] { done->set_value(); }) &&
           ran.wait_for(30s) == std::future_status::ready;
}

TEST(WorkerPool, blocking_jobs_of_one_client_do_not_delay_others) {
    Gate gate;
    WorkerPool pool({.share = 2, .max_threads = 8, .max_queued = 100});
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(pool.submit("greedy", gate.job()));
    EXPECT_TRUE(runs(pool, "modest"));
    gate.open();
    pool.stop(30s);
}

TEST(WorkerPool, a_client_has_no_more_than_its_share_at_a_time) {
    Gate gate;
    std::atomic<int> running = 0;
    std::latch both(2);
    WorkerPool pool({.share = 2, .max_threads = 8, .max_queued = 100});
    for (int i = 0; i < 2; ++i) {
        pool.submit("greedy", [&, wait = gate.job()] {
            ++running;
            both.count_down();
            wait();
        });
    }
    both.wait();
    for (int i = 0; i < 4; ++i) pool.submit("greedy", [&] { ++running; });
    // Jobs of other clients run in the meantime, on threads that could have run these jobs.
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(runs(pool, "modest"));
    EXPECT_EQ(running, 2);
    gate.open();
    while (!runs(pool, "greedy")) {
    }
    pool.stop(30s);
    EXPECT_EQ(running, 6);
}

TEST(WorkerPool, clients_take_turns) {
    Gate gate;
    std::latch started(1);
    std::string order;
    WorkerPool pool({.share = 1, .max_threads = 1, .max_queued = 100});
    pool.submit("first", [&, wait = gate.job()] {
        started.count_down();
        wait();
    });
    started.wait();
    for (int i = 0; i < 3; ++i) pool.submit("a", [&] { order += 'a'; });
    for (int i = 0; i < 2; ++i) pool.submit("b", [&] { order += 'b'; });
    auto last = std::make_shared<std::promise<void>>();
    auto ended = last->get_future();
    pool.submit("a", [last] { last->set_value(); });
    gate.open();
    ASSERT_EQ(ended.wait_for(30s), std::future_status::ready);
    EXPECT_EQ(order, "ababa");
    pool.stop(30s);
}

TEST(WorkerPool, one_client_cannot_fill_the_queue) {
    Gate gate;
    std::latch started(1);
    WorkerPool pool({.share = 1, .max_threads = 1, .max_queued = 4});
    pool.submit("first", [&, wait = gate.job()] {
        started.count_down();
        wait();
    });
    started.wait();
    EXPECT_TRUE(pool.submit("greedy", [] {}));
    EXPECT_TRUE(pool.submit("greedy", [] {}));
    EXPECT_FALSE(pool.submit("greedy", [] {}));
    EXPECT_TRUE(pool.submit("modest", [] {}));
    EXPECT_TRUE(pool.submit("third", [] {}));
    EXPECT_FALSE(pool.submit("fourth", [] {}));
    gate.open();
    pool.stop(30s);
}

TEST(WorkerPool, jobs_of_one_client_run_concurrently_up_to_its_share) {
    std::latch both(2);
    WorkerPool pool({.share = 2, .max_threads = 2, .max_queued = 100});
    ASSERT_TRUE(runs(pool, "one"));
    // Each job waits for the other one.
    std::vector<std::future<void>> ended;
    for (int i = 0; i < 2; ++i) {
        auto done = std::make_shared<std::promise<void>>();
        ended.push_back(done->get_future());
        pool.submit("one", [&both, done] {
            both.arrive_and_wait();
            done->set_value();
        });
    }
    for (auto& one : ended) EXPECT_EQ(one.wait_for(30s), std::future_status::ready);
    pool.stop(30s);
}

TEST(WorkerPool, queued_jobs_are_dropped_when_it_stops) {
    Gate gate;
    std::latch started(1);
    auto dropped = std::make_shared<int>();
    std::weak_ptr<int> const watch = dropped;
    WorkerPool pool({.share = 1, .max_threads = 1, .max_queued = 10});
    pool.submit("one", [&, wait = gate.job()] {
        started.count_down();
        wait();
    });
    started.wait();
    pool.submit("one", [kept = std::move(dropped)] { FAIL(); });
    pool.stop(0s);
    EXPECT_TRUE(watch.expired());
    EXPECT_FALSE(pool.submit("one", [] {}));
    gate.open();
    pool.stop(30s);
}

}  // namespace
}  // namespace lanyard::server

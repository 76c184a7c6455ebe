// The loop in real time. Timeouts only guard against hangs or are far apart; the tests measure no
// durations.
#include "runtime/loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/task.hpp"
#include "runtime/lane.hpp"

namespace lanyard::runtime {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 30s;

// User code that a test controls.
class TestWork final : public UserWork {
public:
    explicit TestWork(std::function<void()> code) : code_(std::move(code)) {}

    void run_ready(Loop& loop) override { loop.run_user(*this); }
    void invoke() noexcept override { code_(); }
    void finish() override {
        ++finished;
        if (then) then();
    }
    void on_lost() noexcept override { ++lost; }
    void finish_lost() noexcept override { ++finished_lost; }

    std::atomic<int> finished = 0;
    std::atomic<int> lost = 0;
    std::atomic<int> finished_lost = 0;
    std::function<void()> then;

private:
    std::function<void()> code_;
};

template <class Condition>
bool eventually(Condition condition) {
    auto const until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

class LoopTest : public ::testing::Test {
protected:
    void start(std::size_t threads = 64) {
        loop = std::make_shared<Loop>();
        loop->limit_threads(threads);
        work.emplace(loop->context().get_executor());
        runner = std::thread([this] { loop->run(); });
    }
    void stop() {
        if (!runner.joinable()) return;
        loop->context().stop();
        runner.join();
    }
    void TearDown() override {
        stop();
        if (loop) loop->wait_for_handlers(std::chrono::steady_clock::now() + patience);
    }
    // Runs the function on the loop and waits until it has run.
    bool on_loop(std::function<void()> function) {
        auto const done = std::make_shared<std::promise<void>>();
        auto const future = done->get_future();
        boost::asio::post(loop->context(), [done, function = std::move(function)] {
            function();
            done->set_value();
        });
        return future.wait_for(patience) == std::future_status::ready;
    }
    bool push(TestWork& item) {
        return on_loop([this, &item] {
            EXPECT_TRUE(loop->guards());
            loop->push(item);
        });
    }

    std::shared_ptr<Loop> loop;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work;
    std::thread runner;
};

TEST_F(LoopTest, runs_user_code_and_keeps_the_loop) {
    start();
    TestWork quick([] {});
    ASSERT_TRUE(push(quick));
    ASSERT_TRUE(eventually([&] { return quick.finished == 1; }));
    EXPECT_EQ(quick.lost, 0);
    stop();
}

TEST_F(LoopTest, user_code_that_blocks_loses_the_loop) {
    start();
    std::promise<void> release;
    auto const released = release.get_future().share();
    TestWork blocked([released] { released.wait(); });
    ASSERT_TRUE(push(blocked));
    // The loop keeps running other work in the meantime.
    ASSERT_TRUE(eventually([&] { return blocked.lost == 1; }));
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(on_loop([] {}));
    EXPECT_EQ(blocked.finished, 0);
    EXPECT_EQ(blocked.finished_lost, 0);
    release.set_value();
    ASSERT_TRUE(eventually([&] { return blocked.finished_lost == 1; }));
    EXPECT_EQ(blocked.finished, 0);
    ASSERT_TRUE(on_loop([] {}));
    stop();
}

TEST_F(LoopTest, many_functions_can_block_at_the_same_time) {
    start();
    std::promise<void> release;
    auto const released = release.get_future().share();
    std::vector<std::unique_ptr<TestWork>> blocked;
    for (int i = 0; i < 10; ++i) {
        blocked.push_back(std::make_unique<TestWork>([released] { released.wait(); }));
        ASSERT_TRUE(push(*blocked.back()));
    }
    for (auto const& item : blocked) {
        ASSERT_TRUE(eventually([&] { return item->lost == 1; }));
    }
    ASSERT_TRUE(on_loop([] {}));
    release.set_value();
    for (auto const& item : blocked) {
        ASSERT_TRUE(eventually([&] { return item->finished_lost == 1; }));
    }
    stop();
}

// Pushes one item in each step.
class TestRound final : public Round {
public:
    TestRound(Loop& loop, std::vector<TestWork*> items) : loop_(loop), items_(std::move(items)) {}

    bool step() override {
        if (next_ == items_.size()) {
            over = true;
            return false;
        }
        Loop::Turn const turn(&loop_);
        loop_.push(*items_[next_++]);
        return true;
    }

    std::atomic<bool> over = false;

private:
    Loop& loop_;
    std::vector<TestWork*> items_;
    std::size_t next_ = 0;
};

TEST_F(LoopTest, the_new_owner_continues_the_round) {
    start();
    std::promise<void> release;
    auto const released = release.get_future().share();
    std::thread::id first_thread;
    std::thread::id last_thread;
    TestWork first([&] { first_thread = std::this_thread::get_id(); });
    TestWork blocked([released] { released.wait(); });
    TestWork last([&] { last_thread = std::this_thread::get_id(); });
    auto const round =
        std::make_shared<TestRound>(*loop, std::vector<TestWork*>{&first, &blocked, &last});
    boost::asio::post(loop->context(), [this, round] {
        ASSERT_TRUE(loop->guards());
        loop->drive(round);
    });
    ASSERT_TRUE(eventually([&] { return round->over.load(); }));
    ASSERT_TRUE(on_loop([] {}));
    EXPECT_EQ(first.finished, 1);
    EXPECT_EQ(blocked.lost, 1);
    EXPECT_EQ(last.finished, 1);
    EXPECT_NE(first_thread, last_thread);
    release.set_value();
    ASSERT_TRUE(eventually([&] { return blocked.finished_lost == 1; }));
    stop();
}

TEST_F(LoopTest, at_the_limit_of_threads_no_user_code_is_run) {
    start(2);
    std::promise<void> release;
    auto const released = release.get_future().share();
    TestWork blocked([released] { released.wait(); });
    ASSERT_TRUE(push(blocked));
    ASSERT_TRUE(eventually([&] { return blocked.lost == 1; }));
    bool guarded = true;
    ASSERT_TRUE(on_loop([&] { guarded = loop->guards(); }));
    EXPECT_FALSE(guarded);
    // The thread that returns from user code becomes the watch.
    release.set_value();
    EXPECT_TRUE(eventually([&] {
        on_loop([&] { guarded = loop->guards(); });
        return guarded;
    }));
    stop();
}

TEST_F(LoopTest, ends_while_user_code_blocks) {
    start();
    std::promise<void> release;
    auto const released = release.get_future().share();
    TestWork blocked([released] { released.wait(); });
    ASSERT_TRUE(push(blocked));
    ASSERT_TRUE(eventually([&] { return blocked.lost == 1; }));
    stop();
    EXPECT_EQ(blocked.finished_lost, 0);
    release.set_value();
    loop->wait_for_handlers(std::chrono::steady_clock::now() + patience);
    EXPECT_EQ(blocked.finished_lost, 1);
}

TEST_F(LoopTest, passes_on_exceptions_of_functions) {
    loop = std::make_shared<Loop>();
    boost::asio::post(loop->context(), [] { throw std::runtime_error("broken"); });
    EXPECT_THROW(loop->run(), std::runtime_error);
}

TEST_F(LoopTest, is_found_by_its_executor) {
    loop = std::make_shared<Loop>();
    EXPECT_EQ(Loop::of(loop->context().get_executor()), loop.get());
    boost::asio::io_context other;
    EXPECT_EQ(Loop::of(other.get_executor()), nullptr);
}

// Counts how often it has blocked a loop.
struct TestCode final : LaneCode {
    bool has_blocked() const noexcept override { return blocked > 0; }
    void on_blocked() noexcept override { ++blocked; }
    std::atomic<int> blocked = 0;
};

Task<> block_between_waits(std::shared_future<void> released, std::atomic<int>& steps) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    ++steps;
    timer.expires_after(1ms);
    co_await timer.async_wait(boost::asio::use_awaitable);
    ++steps;
    released.wait();
    ++steps;
    timer.expires_after(1ms);
    co_await timer.async_wait(boost::asio::use_awaitable);
    ++steps;
}

TEST_F(LoopTest, a_coroutine_that_blocks_continues_on_another_thread) {
    start();
    std::promise<void> release;
    std::atomic<int> steps = 0;
    auto const code = std::make_shared<TestCode>();
    auto const lane = std::make_shared<Lane>(loop, code);
    boost::asio::co_spawn(Lane::Executor(lane),
                          block_between_waits(release.get_future().share(), steps),
                          boost::asio::detached);
    ASSERT_TRUE(eventually([&] { return code->blocked == 1; }));
    EXPECT_EQ(steps, 2);
    ASSERT_TRUE(on_loop([] {}));
    release.set_value();
    ASSERT_TRUE(eventually([&] { return steps == 4; }));
    EXPECT_EQ(code->blocked, 1);
    stop();
}

TEST_F(LoopTest, code_that_has_blocked_leaves_the_loop_on_all_its_lanes) {
    start();
    std::promise<void> release;
    auto const released = release.get_future().share();
    std::atomic<int> started = 0;
    auto const code = std::make_shared<TestCode>();
    constexpr int lanes = 20;
    // All functions are posted before the first of them runs.
    ASSERT_TRUE(on_loop([&] {
        for (int i = 0; i < lanes; ++i) {
            Lane::Executor(std::make_shared<Lane>(loop, code)).execute([&started, released] {
                ++started;
                released.wait();
            });
        }
    }));
    EXPECT_TRUE(eventually([&] { return started == lanes; }));
    EXPECT_EQ(code->blocked, 1);
    release.set_value();
    stop();
}

TEST_F(LoopTest, functions_of_a_lane_never_run_concurrently) {
    start();
    std::atomic<int> together = 0;
    std::atomic<int> done = 0;
    constexpr int lanes = 4;
    constexpr int functions = 40;
    std::vector<std::shared_ptr<Lane>> all;
    std::vector<std::unique_ptr<std::atomic<int>>> inside;
    for (int i = 0; i < lanes; ++i) {
        all.push_back(std::make_shared<Lane>(loop, std::weak_ptr<LaneCode>()));
        inside.push_back(std::make_unique<std::atomic<int>>(0));
    }
    std::minstd_rand random(1);
    for (int i = 0; i < functions; ++i) {
        for (int lane = 0; lane < lanes; ++lane) {
            auto* const in = inside[static_cast<std::size_t>(lane)].get();
            auto const pause = std::chrono::milliseconds(random() % 8 == 0 ? 15 : 0);
            Lane::Executor(all[static_cast<std::size_t>(lane)]).execute([&, in, pause] {
                if (++*in != 1) ++together;
                std::this_thread::sleep_for(pause);
                --*in;
                ++done;
            });
        }
    }
    ASSERT_TRUE(eventually([&] { return done == lanes * functions; }));
    EXPECT_EQ(together, 0);
    stop();
}

// The engine's state has no lock: only the thread that owns the loop may access it.
TEST_F(LoopTest, engine_code_never_runs_concurrently) {
    start();
    long engine = 0;  // like the engine's state, used by the loop's owner only
    constexpr int items = 300;
    std::minstd_rand random(7);
    std::vector<std::unique_ptr<TestWork>> all;
    std::atomic<int> ended = 0;
    for (int i = 0; i < items; ++i) {
        // Some pauses are close to the time after which a loop is taken over.
        auto const pause = std::chrono::microseconds(random() % 16 == 0 ? random() % 12'000 : 0);
        all.push_back(std::make_unique<TestWork>([pause] {
            if (pause > 0us) std::this_thread::sleep_for(pause);
        }));
        auto& item = *all.back();
        item.then = [&engine] { ++engine; };
    }
    for (auto const& item : all) {
        boost::asio::post(loop->context(), [this, &item = *item, &engine] {
            ++engine;
            if (loop->guards()) loop->push(item);
        });
    }
    ASSERT_TRUE(eventually([&] {
        ended = 0;
        for (auto const& item : all) ended += item->finished + item->finished_lost;
        return ended == items;
    }));
    ASSERT_TRUE(on_loop([&] { EXPECT_GE(engine, items); }));
    stop();
}

}  // namespace
}  // namespace lanyard::runtime

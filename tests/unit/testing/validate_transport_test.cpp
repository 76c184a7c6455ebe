#include "lanyard/testing/validate_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/error.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "lanyard/transport/memory.hpp"
#include "runtime/event.hpp"
#include "support/run_task.hpp"
#include "testing/run_check.hpp"

namespace lanyard::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::IsEmpty;
using Frames = std::optional<std::span<rpc::Frame const>>;

enum class Defect {
    none,
    delivers_twice,
    swaps,
    splits_messages,
    loses_on_cancel,
    takes_everything,
    counts_nothing,
    has_no_kind,
    read_outlives_close,
    never_released,
    writes_when_closed,
    fails_oddly_when_closed,
    does_not_see_the_end,
    throws_at_the_end,
    chokes_on_empty_lines,
    leaves_messages,
    keeps_no_limit,
    forgets_too_long,
    drops_what_is_not_json,
    drops_errors,
    keeps_its_output_open,
    opens_once,
};

// A memory transport with one defect.
class DefectiveTransport final : public Transport {
public:
    DefectiveTransport(std::unique_ptr<Transport> inner, Defect defect, std::size_t limit,
                       std::shared_ptr<bool> closed_before)
        : inner_(std::move(inner)),
          defect_(defect),
          limit_(limit),
          closed_before_(std::move(closed_before)),
          never_(inner_->executor()) {}

    boost::asio::any_io_executor executor() const override { return inner_->executor(); }

    Task<Frames> read() override {
        if (defect_ == Defect::read_outlives_close && closed_) co_await wait_for_ever();
        for (;;) {
            auto const frames = co_await inner_->read();
            if (!frames) {
                if (defect_ == Defect::read_outlives_close) co_await wait_for_ever();
                if (defect_ == Defect::does_not_see_the_end && !closed_) co_await wait_for_ever();
                if (defect_ == Defect::throws_at_the_end && !closed_) {
                    throw Error(Errc::transport_down, "end of file");
                }
                co_return frames;
            }
            if (defect_ == Defect::loses_on_cancel) {
                for (int i = 0; i < 5; ++i) {
                    co_await boost::asio::post(executor(), boost::asio::use_awaitable);
                }
            }
            if (keep(*frames)) co_return std::span<rpc::Frame const>(frames_);
        }
    }

    void write_now(rpc::Outbox& outbox) noexcept override {
        if (closed_ && defect_ == Defect::writes_when_closed) outbox.clear();
        inner_->write_now(outbox);
    }

    Task<> write(rpc::Outbox& outbox) override {
        write_now(outbox);
        if (defect_ == Defect::leaves_messages && !outbox.empty()) co_return;
        if (closed_ && defect_ == Defect::fails_oddly_when_closed) {
            throw Error(Errc::invalid_argument, "what?");
        }
        co_await inner_->write(outbox);
    }

    void close() noexcept override {
        closed_ = true;
        inner_->close();
    }
    void close_output() noexcept override {
        if (defect_ == Defect::keeps_its_output_open) return;
        inner_->close_output();
    }
    Task<> closed() override {
        if (defect_ == Defect::never_released) co_await wait_for_ever();
        *closed_before_ = true;
    }
    TransportInfo info() const override {
        auto info = inner_->info();
        if (defect_ == Defect::counts_nothing) info.messages_in = 0;
        if (defect_ == Defect::has_no_kind) info.kind.clear();
        return info;
    }

private:
    Task<> wait_for_ever() {
        for (;;) co_await never_.wait();
    }

    bool keep(std::span<rpc::Frame const> frames) {
        frames_.clear();
        for (auto const& frame : frames) {
            if (frame.text.empty() && defect_ == Defect::chokes_on_empty_lines) choked_ = true;
            if (choked_) continue;
            bool const is_json = frame.text.starts_with('{') || frame.text.starts_with('[');
            if (!is_json && defect_ == Defect::drops_what_is_not_json) continue;
            bool const is_error = frame.text.find("\"error\"") != std::string_view::npos;
            if (is_error && defect_ == Defect::drops_errors) continue;
            if (frame.text.size() > limit_ && defect_ != Defect::keeps_no_limit) {
                if (defect_ != Defect::forgets_too_long) {
                    frames_.push_back({rpc::Frame::Kind::too_long, "too long"});
                }
                continue;
            }
            ++count_;
            auto const cut = frame.text.find("\\n");
            if (defect_ == Defect::splits_messages && cut != std::string_view::npos) {
                frames_.push_back({frame.kind, frame.text.substr(0, cut)});
                frames_.push_back({frame.kind, frame.text.substr(cut)});
                continue;
            }
            frames_.push_back(frame);
            if (defect_ == Defect::delivers_twice && count_ % 100 == 0) frames_.push_back(frame);
            if (defect_ == Defect::swaps && frames_.size() > 2) {
                std::swap(frames_[frames_.size() - 1], frames_[frames_.size() - 2]);
            }
        }
        return !frames_.empty();
    }

    std::unique_ptr<Transport> inner_;
    Defect defect_;
    std::size_t limit_;
    std::shared_ptr<bool> closed_before_;
    runtime::Event never_;
    std::vector<rpc::Frame> frames_;
    std::size_t count_ = 0;
    bool closed_ = false;
    bool choked_ = false;
};

constexpr std::size_t limit = 300'000;

// The first end has the defect, the second is correct.
Task<TransportReport> validate_defect(boost::asio::any_io_executor executor, Defect defect,
                                      Duration patience) {
    auto const closed_before = std::make_shared<bool>(false);
    auto const make = [executor, defect, closed_before]() -> Task<TransportPair> {
        if (defect == Defect::opens_once && std::exchange(*closed_before, false)) {
            throw Error(Errc::unavailable, "the address is in use");
        }
        bool const boundless = defect == Defect::takes_everything;
        auto pair = memory_pair(executor, executor, boundless ? SIZE_MAX : 1024 * 1024);
        TransportPair wrapped;
        wrapped.first = std::make_unique<DefectiveTransport>(std::move(pair.first), defect, limit,
                                                             closed_before);
        wrapped.second = std::make_unique<DefectiveTransport>(std::move(pair.second), Defect::none,
                                                              limit, closed_before);
        co_return wrapped;
    };
    std::function<Task<TransportPair>()> const maker = make;
    TransportPromises promises;
    promises.timeout(patience).max_message_bytes(limit).max_buffered_bytes(8 * 1024 * 1024);
    co_return co_await validate_transport(maker, promises);
}

TEST(ValidateTransport, accepts_a_correct_wrapper) {
    boost::asio::io_context context;
    auto const validate = [&]() -> Task<> {
        auto const report = co_await validate_defect(context.get_executor(), Defect::none, 20s);
        EXPECT_TRUE(report.passed()) << report.to_string();
    };
    test::run_task(context, validate());
}

TEST(ValidateTransport, finds_each_defect) {
    struct Case {
        Defect defect;
        char const* check;
        // Short if the defect is that something never happens.
        Duration patience = 20s;
    };
    std::vector<Case> const cases = {
        {Defect::delivers_twice, "keeps the order, nothing twice"},
        {Defect::swaps, "keeps the order, nothing twice"},
        {Defect::splits_messages, "keeps messages apart"},
        {Defect::loses_on_cancel, "loses nothing when a read is cancelled", 50ms},
        {Defect::takes_everything, "holds a writer back"},
        {Defect::counts_nothing, "reports info"},
        {Defect::has_no_kind, "reports info"},
        {Defect::read_outlives_close, "ends a read on close", 50ms},
        {Defect::never_released, "closes and releases", 50ms},
        {Defect::writes_when_closed, "refuses to write when closed"},
        {Defect::fails_oddly_when_closed, "refuses to write when closed"},
        {Defect::does_not_see_the_end, "sees the peer close", 50ms},
        {Defect::throws_at_the_end, "sees the peer close"},
        {Defect::chokes_on_empty_lines, "survives empty lines", 50ms},
        {Defect::leaves_messages, "holds a writer back", 500ms},
        {Defect::keeps_no_limit, "refuses messages that are too large (second end)"},
        {Defect::forgets_too_long, "refuses messages that are too large (second end)"},
        {Defect::drops_what_is_not_json, "continues after garbage (second end)", 500ms},
        {Defect::drops_errors, "gives errors their shape", 500ms},
        {Defect::drops_errors, "refuses requests before initialization", 500ms},
        {Defect::drops_errors, "passes through the phases of a session", 500ms},
        {Defect::drops_errors, "serves stateless requests", 500ms},
        {Defect::drops_errors, "keeps to the capabilities that are offered", 500ms},
        {Defect::forgets_too_long, "continues after a message that is too large (second end)",
         500ms},
        {Defect::does_not_see_the_end, "lets the server see the end (second end)", 500ms},
        {Defect::keeps_its_output_open, "ends one direction", 50ms},
        {Defect::opens_once, "opens again after an end", 50ms},
    };
    // All cases run concurrently, because they mostly wait.
    boost::asio::io_context context;
    std::size_t found = 0;
    auto const check = [&](Case const& one) -> Task<> {
        auto const report =
            co_await validate_defect(context.get_executor(), one.defect, one.patience);
        EXPECT_THAT(report.failed(), Contains(one.check)) << report.to_string();
        ++found;
    };
    for (auto const& one : cases) {
        boost::asio::co_spawn(context, check(one),
                              [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    }
    auto const deadline = std::chrono::steady_clock::now() + 120s;
    while (found < cases.size() && std::chrono::steady_clock::now() < deadline) {
        context.run_one_for(1s);
    }
    EXPECT_EQ(found, cases.size());
}

TEST(ValidateTransport, a_connection_that_does_not_open_fails_every_check) {
    boost::asio::io_context context;
    std::optional<TransportReport> report;
    auto const fail = []() -> Task<TransportPair> {
        throw Error(Errc::unavailable, "nobody listens");
        co_return TransportPair();
    };
    auto const open_nothing = []() -> Task<TransportPair> { co_return TransportPair(); };
    for (bool const throws : {true, false}) {
        auto const validate = [&]() -> Task<> {
            std::function<Task<TransportPair>()> maker = open_nothing;
            if (throws) maker = fail;
            report = co_await validate_transport(maker);
        };
        test::run_task(context, validate());
        // At each end, two checks are skipped without a promised limit.
        EXPECT_EQ(report->failed().size(), report->checks().size() - 4) << report->to_string();
        EXPECT_NE(report->to_string().find(throws ? "nobody listens" : "nothing was opened"),
                  std::string::npos);
    }
}

// Returns the outcome of the check of the opening, for a connection that takes this long to open.
TransportCheck::Outcome outcome_of_opening(Duration takes) {
    boost::asio::io_context context;
    FakeTime time;
    auto const make = [&]() -> Task<checks::Link> {
        co_await sleep_for(time, takes);
        auto pair = memory_pair(context.get_executor(), context.get_executor(), 1024);
        checks::Link link;
        link.near = std::move(pair.first);
        link.far = std::move(pair.second);
        co_return link;
    };
    std::function<Task<checks::Link>()> const maker = make;
    auto const& check = checks::of_carrier().front();
    EXPECT_EQ(check.name, "opens within five seconds");
    std::optional<checks::Finding> finding;
    auto const run = [&]() -> Task<> {
        std::function<Task<>(checks::Bench&)> const opening = check.run;
        finding = co_await checks::run_check(opening, maker, TransportPromises().time(time));
    };
    boost::asio::co_spawn(context, run(), boost::asio::detached);
    for (int seconds = 0; seconds <= 20 && !finding; ++seconds) {
        context.restart();
        context.poll();
        if (!finding) time.advance(1s);
    }
    if (!finding) return TransportCheck::Outcome::skipped;
    return finding->kind == checks::Finding::Kind::passed ? TransportCheck::Outcome::passed
                                                          : TransportCheck::Outcome::failed;
}

TEST(ValidateTransport, opening_may_take_five_seconds) {
    EXPECT_EQ(outcome_of_opening(Duration(0)), TransportCheck::Outcome::passed);
    EXPECT_EQ(outcome_of_opening(5s), TransportCheck::Outcome::passed);
    EXPECT_EQ(outcome_of_opening(6s), TransportCheck::Outcome::failed);
    // The whole check ends after four times the timeout.
    EXPECT_EQ(outcome_of_opening(1h), TransportCheck::Outcome::failed);
}

void expect_pass(boost::asio::io_context& context, std::function<Task<TransportPair>()> make,
                 TransportPromises promises) {
    std::optional<TransportReport> report;
    auto const validate = [&]() -> Task<> { report = co_await validate_transport(make, promises); };
    test::run_task(context, validate(), 300s);
    EXPECT_THAT(report->failed(), IsEmpty()) << report->to_string();
}

TEST(ValidateTransport, memory_passes_with_any_capacity) {
    for (std::size_t const room : {std::size_t{1}, std::size_t{1024 * 1024}}) {
        boost::asio::io_context context;
        auto const make = [&]() -> Task<TransportPair> {
            co_return memory_pair(context.get_executor(), context.get_executor(), room);
        };
        TransportPromises promises;
        promises.timeout(30s);
        expect_pass(context, make, promises);
    }
}

}  // namespace
}  // namespace lanyard::testing

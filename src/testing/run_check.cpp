#include "testing/run_check.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "runtime/cancelled_by.hpp"
#include "runtime/event.hpp"

namespace lanyard::testing::checks {

namespace {

// A check in progress. The coroutine of the check shares this object, because a coroutine that
// hangs outlives run_check().
struct CheckRun {
    explicit CheckRun(boost::asio::any_io_executor const& executor) : changed(executor) {}

    std::function<Task<>(Bench&)> check;
    Bench bench;
    runtime::Event changed;
    boost::asio::cancellation_signal stop;
    Finding finding;
    bool done = false;
};

void close_all(Bench& bench) {
    for (auto const& link : bench.links) {
        link->near->close();
        if (link->far) link->far->close();
    }
}

Task<> perform(std::shared_ptr<CheckRun> run) {
    try {
        co_await run->check(run->bench);
    } catch (Skipped const& skipped) {
        run->finding.kind = Finding::Kind::skipped;
        run->finding.why = skipped.what();
    } catch (std::exception const& error) {
        run->finding.kind = Finding::Kind::broken;
        run->finding.why = error.what();
    }
    close_all(run->bench);
    for (auto const& link : run->bench.links) {
        co_await link->near->closed();
        if (link->far) co_await link->far->closed();
    }
}

// The maximum number of steps of a check, each of which may take as long as the timeout.
constexpr int steps = 4;

}  // namespace

Task<Finding> run_check(std::function<Task<>(Bench&)> check, std::function<Task<Link>()> make,
                        TransportPromises promises) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const run = std::make_shared<CheckRun>(executor);
    run->check = std::move(check);
    run->bench.make = std::move(make);
    run->bench.promises = promises;
    auto const on_end = [run](std::exception_ptr) {
        run->done = true;
        run->changed.notify();
    };
    boost::asio::co_spawn(executor, perform(run), runtime::cancelled_by(run->stop.slot(), on_end));
    auto& time = promises.time();
    auto const deadline = time.now() + steps * promises.timeout();
    while (!run->done && time.now() < deadline) {
        co_await run->changed.wait_until(time, deadline);
    }
    auto finding = run->finding;
    if (!run->done) {
        // The time is over. If the check has already failed and only closing its connections takes
        // too long, the earlier failure is reported, because another check covers closing.
        if (finding.kind == Finding::Kind::passed) {
            finding.kind = Finding::Kind::broken;
            finding.why = "did not complete";
        }
        close_all(run->bench);
        run->stop.emit(boost::asio::cancellation_type::all);
    }
    co_return finding;
}

Task<Link> open_link(Connector& connector) {
    Link link;
    link.near = co_await connector.open();
    co_return link;
}

}  // namespace lanyard::testing::checks

#include "lanyard/testing/validate_transport.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "runtime/event.hpp"
#include "testing/transport_checks.hpp"

namespace lanyard::testing {

namespace {

using Verdict = TransportCheck::Verdict;
using checks::Bench;
using checks::Check;
using checks::Link;

// A check under way; kept by the coroutine that does it, which may never end.
struct Run {
    explicit Run(boost::asio::any_io_executor const& executor) : changed(executor) {}

    Bench bench;
    runtime::Event changed;
    boost::asio::cancellation_signal stop;
    Verdict verdict = Verdict::passed;
    std::string why;
    bool done = false;
};

void close_all(Bench& bench) {
    for (auto const& link : bench.links) {
        link->near->close();
        if (link->far) link->far->close();
    }
}

Task<> perform(std::shared_ptr<Run> run, Check check) {
    try {
        co_await check.run(run->bench);
    } catch (checks::Skipped const& skipped) {
        run->verdict = Verdict::skipped;
        run->why = skipped.what();
    } catch (std::exception const& error) {
        run->verdict = Verdict::failed;
        run->why = error.what();
    }
    close_all(run->bench);
    for (auto const& link : run->bench.links) {
        co_await link->near->closed();
        if (link->far) co_await link->far->closed();
    }
}

// A check takes several steps that may each take as long as the patience allows.
constexpr int steps = 4;

Task<TransportCheck> run_check(Check check, std::function<Task<Link>()> make,
                               TransportPromises promises) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const run = std::make_shared<Run>(executor);
    run->bench.make = std::move(make);
    run->bench.promises = promises;
    auto const on_end = [run](std::exception_ptr) {
        run->done = true;
        run->changed.notify();
    };
    boost::asio::co_spawn(executor, perform(run, check),
                          boost::asio::bind_cancellation_slot(run->stop.slot(), on_end));
    auto const ring = [run] { run->changed.notify(); };
    auto const alarm = real_time().make_alarm(executor, ring);
    auto const deadline = real_time().now() + steps * promises.patience();
    alarm->set(deadline);
    while (!run->done && real_time().now() < deadline) co_await run->changed.wait();
    TransportCheck result;
    result.name = check.name;
    result.verdict = run->verdict;
    result.why = run->why;
    if (!run->done) {
        // A check that has found something hangs in releasing the connection, which is worse only
        // for the check that is about it.
        if (result.verdict == Verdict::passed) {
            result.verdict = Verdict::failed;
            result.why = "did not complete";
        }
        close_all(run->bench);
        run->stop.emit(boost::asio::cancellation_type::all);
    }
    co_return result;
}

Task<> run_each(std::span<Check const> checks, std::function<Task<Link>()> make,
                TransportPromises promises, std::vector<TransportCheck>& results) {
    for (auto const& check : checks) {
        auto result = co_await run_check(check, make, promises);
        results.push_back(std::move(result));
    }
}

Task<std::vector<TransportCheck>> run_all(std::function<Task<Link>()> make,
                                          TransportPromises promises) {
    std::vector<TransportCheck> results;
    co_await run_each(checks::of_carrier(), make, promises, results);
    co_await run_each(checks::of_protocol(), make, promises, results);
    co_return results;
}

Task<Link> make_link(std::function<Task<TransportPair>()> make, bool swapped) {
    auto pair = co_await make();
    Link link;
    link.near = std::move(swapped ? pair.second : pair.first);
    link.far = std::move(swapped ? pair.first : pair.second);
    co_return link;
}

Task<Link> open_link(Connector& connector) {
    Link link;
    link.near = co_await connector.open();
    co_return link;
}

std::string_view to_word(Verdict verdict) {
    switch (verdict) {
        case Verdict::passed:
            return "passed ";
        case Verdict::failed:
            return "FAILED ";
        default:
            return "skipped";
    }
}

}  // namespace

bool TransportReport::passed() const noexcept {
    return std::none_of(checks_.begin(), checks_.end(),
                        [](auto const& check) { return check.verdict == Verdict::failed; });
}

std::vector<std::string> TransportReport::failed() const {
    std::vector<std::string> names;
    for (auto const& check : checks_) {
        if (check.verdict == Verdict::failed) names.push_back(check.name);
    }
    return names;
}

std::string TransportReport::to_string() const {
    std::string text;
    std::array<std::size_t, 3> counts{};
    for (auto const& check : checks_) {
        ++counts[static_cast<std::size_t>(check.verdict)];
        text.append(to_word(check.verdict)).append("  ").append(check.name);
        if (!check.why.empty()) text.append(": ").append(check.why);
        text.push_back('\n');
    }
    text += std::to_string(counts[0]) + " passed, " + std::to_string(counts[1]) + " failed, " +
            std::to_string(counts[2]) + " skipped\n";
    return text;
}

Task<TransportReport> validate_transport(std::function<Task<TransportPair>()> make,
                                         TransportPromises promises) {
    std::vector<TransportCheck> results;
    for (bool const swapped : {false, true}) {
        auto const make_one = [&make, swapped] { return make_link(make, swapped); };
        std::function<Task<Link>()> const maker = make_one;
        auto found = co_await run_all(maker, promises);
        for (auto& check : found) {
            if (swapped) check.name += " (second end)";
            results.push_back(std::move(check));
        }
    }
    co_return TransportReport(std::move(results));
}

Task<TransportReport> validate_transport(Connector& connector, TransportPromises promises) {
    auto const open = [&connector] { return open_link(connector); };
    std::function<Task<Link>()> const maker = open;
    auto results = co_await run_all(maker, promises);
    co_return TransportReport(std::move(results));
}

Task<TransportReport> validate_server(Connector& connector, TransportPromises promises) {
    auto const open = [&connector] { return open_link(connector); };
    std::function<Task<Link>()> const maker = open;
    std::vector<TransportCheck> results;
    co_await run_each(checks::of_server(), maker, promises, results);
    co_return TransportReport(std::move(results));
}

}  // namespace lanyard::testing

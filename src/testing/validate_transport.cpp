#include "lanyard/testing/validate_transport.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "testing/run_check.hpp"

namespace lanyard::testing {

namespace {

using Outcome = TransportCheck::Outcome;
using checks::Bench;
using checks::Check;
using checks::Finding;
using checks::Link;

Task<TransportCheck> run_one(Check check, std::function<Task<Link>()> make,
                             TransportPromises promises) {
    std::function<Task<>(Bench&)> const run = check.run;
    auto finding = co_await checks::run_check(run, make, promises);
    TransportCheck result;
    result.name = check.name;
    result.outcome = finding.kind == Finding::Kind::passed    ? Outcome::passed
                     : finding.kind == Finding::Kind::skipped ? Outcome::skipped
                                                              : Outcome::failed;
    result.why = std::move(finding.why);
    co_return result;
}

Task<> run_each(std::span<Check const> checks, std::function<Task<Link>()> make,
                TransportPromises promises, std::vector<TransportCheck>& results) {
    for (auto const& check : checks) {
        auto result = co_await run_one(check, make, promises);
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

std::string_view to_word(Outcome outcome) {
    switch (outcome) {
        case Outcome::passed:
            return "passed ";
        case Outcome::failed:
            return "FAILED ";
        default:
            return "skipped";
    }
}

}  // namespace

bool TransportReport::passed() const noexcept {
    return std::none_of(checks_.begin(), checks_.end(),
                        [](auto const& check) { return check.outcome == Outcome::failed; });
}

std::vector<std::string> TransportReport::failed() const {
    std::vector<std::string> names;
    for (auto const& check : checks_) {
        if (check.outcome == Outcome::failed) names.push_back(check.name);
    }
    return names;
}

std::string TransportReport::to_string() const {
    std::string text;
    std::array<std::size_t, 3> counts{};
    for (auto const& check : checks_) {
        ++counts[static_cast<std::size_t>(check.outcome)];
        text.append(to_word(check.outcome)).append("  ").append(check.name);
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
    auto const open = [&connector] { return checks::open_link(connector); };
    std::function<Task<Link>()> const maker = open;
    auto results = co_await run_all(maker, promises);
    co_return TransportReport(std::move(results));
}

}  // namespace lanyard::testing

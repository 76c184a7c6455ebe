#include "lanyard/testing/validate_server.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "testing/run_check.hpp"
#include "testing/server_checks.hpp"

namespace lanyard::testing {

namespace {

using Level = ServerCheck::Level;
using Outcome = ServerCheck::Outcome;
using checks::Bench;
using checks::Finding;
using checks::Link;
using checks::ServerRule;

Version version_of(Era era) noexcept {
    return era == Era::legacy ? newest_legacy_version : newest_version;
}

Outcome outcome_of(Finding const& finding, Level level) noexcept {
    switch (finding.kind) {
        case Finding::Kind::passed:
            return Outcome::passed;
        case Finding::Kind::skipped:
            return Outcome::skipped;
        case Finding::Kind::broken:
            break;
    }
    return level == Level::must ? Outcome::failed : Outcome::warning;
}

std::string_view to_word(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::passed:
            return "passed ";
        case Outcome::failed:
            return "FAILED ";
        case Outcome::warning:
            return "warning";
        case Outcome::skipped:
            break;
    }
    return "skipped";
}

std::string_view to_word(Level level) noexcept {
    return level == Level::must ? "MUST  " : "SHOULD";
}

// Validates one server.
class Validation {
public:
    Validation(Connector& connector, ServerValidation const& options)
        : connector_(connector), options_(options) {
        promises_.timeout(options.timeout());
        if (options.max_message_bytes()) promises_.max_message_bytes(*options.max_message_bytes());
        // The probe has a shorter timeout, because a server that supports only the legacy era may
        // leave the probe without an answer.
        probe_promises_.timeout(options.timeout() / 3);
    }

    Task<ServerReport> run() {
        if (options_.era()) {
            co_await probe(*options_.era(), promises_);
        } else {
            co_await probe(Era::modern, probe_promises_);
            co_await probe(Era::legacy, promises_);
        }
        if (spoken_.empty()) add_unknown_server();
        for (auto const era : spoken_) {
            co_await check_together(era);
            for (auto const& rule : checks::server_rules()) co_await check(rule, era);
        }
        co_return ServerReport(std::move(results_));
    }

private:
    using Run = std::function<Task<>(Bench&)>;

    Task<Finding> find(Run const& run, TransportPromises promises) {
        auto const open = [this] { return checks::open_link(connector_); };
        std::function<Task<Link>()> const make = open;
        return checks::run_check(run, make, promises);
    }

    Task<> probe(Era era, TransportPromises promises) {
        Run const run = era == Era::legacy ? checks::probe_legacy : checks::probe_modern;
        auto const finding = co_await find(run, promises);
        if (finding.kind == Finding::Kind::passed) {
            spoken_.push_back(era);
        } else {
            silence_ += (silence_.empty() ? "" : "; ") + finding.why;
        }
    }

    /// Runs the checks that can share a connection. Rules that do not pass here are checked again,
    /// each on a separate connection, and only that second result counts.
    Task<> check_together(Era era) {
        // Shared, because a check that hangs outlives this function.
        auto const passed = std::make_shared<std::set<std::string_view>>();
        Run const run = [passed, era](Bench& bench) {
            return checks::check_together(bench, era, *passed);
        };
        co_await find(run, promises_);
        passed_ = *passed;
    }

    Task<> check(ServerRule const& rule, Era era) {
        Run const run = rule.runs(era).alone;
        if (!run) co_return;
        Finding finding;
        if (!passed_.contains(rule.name)) finding = co_await find(run, promises_);
        ServerCheck result;
        result.name = rule.name;
        result.version = version_of(era);
        result.level = rule.level;
        result.rule = rule.rule;
        result.outcome = outcome_of(finding, rule.level);
        result.why = std::move(finding.why);
        results_.push_back(std::move(result));
    }

    void add_unknown_server() {
        ServerCheck result;
        result.name = "supports a known revision of the protocol";
        if (options_.era()) result.version = version_of(*options_.era());
        result.rule = "basic/lifecycle, Version Negotiation";
        result.outcome = Outcome::failed;
        result.why = silence_;
        results_.push_back(std::move(result));
    }

    Connector& connector_;
    ServerValidation options_;
    TransportPromises promises_;
    TransportPromises probe_promises_;
    std::vector<Era> spoken_;
    std::set<std::string_view> passed_;  // rules that passed on the shared connection
    std::string silence_;                // why the probes of the eras failed
    std::vector<ServerCheck> results_;
};

}  // namespace

std::size_t ServerReport::count(ServerCheck::Outcome outcome) const noexcept {
    return static_cast<std::size_t>(std::ranges::count(checks_, outcome, &ServerCheck::outcome));
}

std::string ServerReport::to_string() const {
    std::string text;
    for (auto const& check : checks_) {
        text.append(to_word(check.outcome)).append("  ").append(to_word(check.level)).append("  ");
        text.append(lanyard::to_string(check.version)).append("  ").append(check.name);
        text.append(" (").append(check.rule).append(")");
        if (!check.why.empty()) text.append(": ").append(check.why);
        text.push_back('\n');
    }
    auto const counted = [this](Outcome outcome) { return std::to_string(count(outcome)); };
    text += counted(Outcome::passed) + " passed, " + counted(Outcome::failed) + " failed, " +
            counted(Outcome::warning) + " warnings, " + counted(Outcome::skipped) + " skipped\n";
    return text;
}

Task<ServerReport> validate_server(Connector& connector, ServerValidation const& options) {
    Validation validation(connector, options);
    co_return co_await validation.run();
}

Task<ServerReport> validate_server(Connector& connector) {
    co_return co_await validate_server(connector, ServerValidation());
}

}  // namespace lanyard::testing

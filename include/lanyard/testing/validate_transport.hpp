// validate_transport(): checks whether a transport fulfils the contract of lanyard/transport.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/time_source.hpp>
#include <lanyard/transport.hpp>

namespace lanyard::testing {

/// The outcome of one check.
struct TransportCheck {
    enum class Outcome { passed, failed, skipped };

    std::string name;  ///< "keeps the order"
    Outcome outcome = Outcome::passed;
    std::string why;  ///< empty if the check passed
};

/// The results of validate_transport().
class TransportReport {
public:
    explicit TransportReport(std::vector<TransportCheck> checks) : checks_(std::move(checks)) {}

    std::vector<TransportCheck> const& checks() const noexcept { return checks_; }
    /// Whether no check failed.
    bool passed() const noexcept;
    /// The names of the checks that failed.
    std::vector<std::string> failed() const;
    /// Returns one line for each check, and a line with the number of each outcome.
    std::string to_string() const;

private:
    std::vector<TransportCheck> checks_;
};

/// The properties of the checked transport on which the checks depend.
class TransportPromises {
public:
    TransportPromises() = default;

    /// How long each step may take. Default: 5 s. Opening has its own limit of 5 s, regardless of
    /// this option.
    TransportPromises& timeout(Duration timeout) {
        timeout_ = timeout;
        return *this;
    }
    /// The limit on the size of a message, at both ends. Default: none, so the limit is not
    /// checked.
    TransportPromises& max_message_bytes(std::size_t bytes) {
        max_message_bytes_ = bytes;
        return *this;
    }
    /// The maximum number of bytes that the transport accepts while the receiver does not read.
    /// Default: 64 MiB.
    TransportPromises& max_buffered_bytes(std::size_t bytes) {
        max_buffered_bytes_ = bytes;
        return *this;
    }
    /// The source of time for all timeouts. Default: real_time(). Must outlive the checks.
    TransportPromises& time(TimeSource& source) {
        time_ = &source;
        return *this;
    }

    Duration timeout() const noexcept { return timeout_; }
    TimeSource& time() const noexcept { return *time_; }
    std::optional<std::size_t> max_message_bytes() const noexcept { return max_message_bytes_; }
    std::size_t max_buffered_bytes() const noexcept { return max_buffered_bytes_; }

private:
    Duration timeout_ = std::chrono::seconds(5);
    TimeSource* time_ = &real_time();
    std::optional<std::size_t> max_message_bytes_;
    std::size_t max_buffered_bytes_ = 64 * 1024 * 1024;
};

using TransportPair = std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>>;

/// Checks a transport with both ends in this process. `make` creates a new connected pair for every
/// check, on the executor on which it is called; both ends are checked.
///
/// First the transport itself is checked: opening, info, framing, order, size limit, backpressure,
/// cancelled reads, closing. Then a server on top of the transport is checked: the phases of a
/// session, refusals before initialization, capability checks, the form of errors, and whether the
/// server continues to serve after invalid input.
///
/// Completes when all checks are done; each step is limited by the timeout. Does not throw:
/// failures are in the report.
Task<TransportReport> validate_transport(std::function<Task<TransportPair>()> make,
                                         TransportPromises promises = {});

/// Checks one end of the connections that the connector opens. The peer at the other end must echo
/// every message unchanged. Checks that need both ends are skipped.
Task<TransportReport> validate_transport(Connector& connector, TransportPromises promises = {});

}  // namespace lanyard::testing

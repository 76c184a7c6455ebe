// validate_transport(): does a transport keep the promises of lanyard/transport.hpp?
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

/// What one check found.
struct TransportCheck {
    enum class Verdict { passed, failed, skipped };

    std::string name;  ///< "keeps the order"
    Verdict verdict = Verdict::passed;
    std::string why;  ///< where it did not pass
};

/// What validate_transport() found.
class TransportReport {
public:
    explicit TransportReport(std::vector<TransportCheck> checks) : checks_(std::move(checks)) {}

    std::vector<TransportCheck> const& checks() const noexcept { return checks_; }
    /// Whether no check failed.
    bool passed() const noexcept;
    /// The names of the checks that failed.
    std::vector<std::string> failed() const;
    /// One line for each check, and one with their counts.
    std::string to_string() const;

private:
    std::vector<TransportCheck> checks_;
};

/// What is to be expected of a transport, where that is not the same for all.
class TransportPromises {
public:
    TransportPromises() = default;

    /// How long each step may take. Opening always has five seconds.
    TransportPromises& patience(Duration most) {
        patience_ = most;
        return *this;
    }
    /// The limit on a message's size that both ends have; without it the limit is not checked.
    TransportPromises& max_message_bytes(std::size_t bytes) {
        max_message_bytes_ = bytes;
        return *this;
    }
    /// How much may be under way while nobody reads.
    TransportPromises& max_buffered_bytes(std::size_t bytes) {
        max_buffered_bytes_ = bytes;
        return *this;
    }

    Duration patience() const noexcept { return patience_; }
    std::optional<std::size_t> max_message_bytes() const noexcept { return max_message_bytes_; }
    std::size_t max_buffered_bytes() const noexcept { return max_buffered_bytes_; }

private:
    Duration patience_ = std::chrono::seconds(5);
    std::optional<std::size_t> max_message_bytes_;
    std::size_t max_buffered_bytes_ = 64 * 1024 * 1024;
};

using TransportPair = std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>>;

/// Checks a transport with two ends in this process. The function makes a fresh connected pair for
/// every check, on the executor it runs on; both ends are checked.
///
/// First the transport itself: opening, info, framing, order, size limit, backpressure, cancelled
/// reads, closing. Then a server behind it: the phases of a session, refusals before
/// initialization, capability gates, the shape of errors, and that it serves on after garbage.
///
/// Completes when all checks are done, each within the patience. Does not throw: what goes wrong is
/// in the report.
Task<TransportReport> validate_transport(std::function<Task<TransportPair>()> make,
                                         TransportPromises promises = {});

/// Checks the end that a connector opens. The peer must send back every message as it came; checks
/// that need both ends are skipped.
Task<TransportReport> validate_transport(Connector& connector, TransportPromises promises = {});

}  // namespace lanyard::testing

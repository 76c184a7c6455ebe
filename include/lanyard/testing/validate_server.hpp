// validate_server(): checks whether a server follows the rules of the protocol.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/task.hpp>
#include <lanyard/transport.hpp>

namespace lanyard::testing {

/// The outcome of one check of a server.
struct ServerCheck {
    enum class Level {
        must,    ///< a server that fails the check breaks the protocol
        should,  ///< a server that fails the check gets a warning
    };
    enum class Outcome { passed, failed, warning, skipped };

    /// For example "answers ping".
    std::string name;
    /// The revision with which the server was checked: the newest revision of the era.
    Version version = newest_version;
    Level level = Level::must;
    std::string rule;  ///< the section of the specification: "basic/utilities/ping"
    Outcome outcome = Outcome::passed;
    std::string why;  ///< empty if the check passed
};

/// The results of validate_server().
class ServerReport {
public:
    explicit ServerReport(std::vector<ServerCheck> checks) : checks_(std::move(checks)) {}

    std::vector<ServerCheck> const& checks() const noexcept { return checks_; }
    /// Whether all checks passed or were skipped; warnings are ignored.
    bool passed() const noexcept { return count(ServerCheck::Outcome::failed) == 0; }
    std::size_t count(ServerCheck::Outcome outcome) const noexcept;
    /// Returns one line for each check, and a line with the number of each outcome.
    std::string to_string() const;

private:
    std::vector<ServerCheck> checks_;
};

/// Options of validate_server().
class ServerValidation {
public:
    ServerValidation() = default;

    /// How long the server may take for each answer. Default: 5 s.
    ServerValidation& timeout(Duration timeout) {
        timeout_ = timeout;
        return *this;
    }
    /// Checks only this era; the report contains a failure if the server does not support it.
    /// Default: all eras that the server supports.
    ServerValidation& era(Era only) {
        era_ = only;
        return *this;
    }
    /// The server's limit on the size of a message. Default: none, so the limit is not checked.
    ServerValidation& max_message_bytes(std::size_t bytes) {
        max_message_bytes_ = bytes;
        return *this;
    }

    Duration timeout() const noexcept { return timeout_; }
    std::optional<Era> era() const noexcept { return era_; }
    std::optional<std::size_t> max_message_bytes() const noexcept { return max_message_bytes_; }

private:
    Duration timeout_ = std::chrono::seconds(5);
    std::optional<Era> era_;
    std::optional<std::size_t> max_message_bytes_;
};

/// Checks the answers of a server on several connections, which the connector opens. First finds
/// out which eras of the protocol the server supports, then checks the rules of each era. If the
/// server answers in no era, the report has a single failed check with the reason.
///
/// Checks that do not change the state of a connection share one connection, because starting a
/// server may take long. If a check fails on the shared connection, it is repeated on a connection
/// of its own, and only the second result counts.
///
/// Does not throw: failures are in the report.
Task<ServerReport> validate_server(Connector& connector, ServerValidation const& options);
Task<ServerReport> validate_server(Connector& connector);

}  // namespace lanyard::testing

// validate_server(): does a server keep the rules of the protocol?
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

/// What one check of a server found.
struct ServerCheck {
    enum class Level {
        must,    ///< a server that fails the check breaks the protocol
        should,  ///< a server that fails the check gets a warning
    };
    enum class Verdict { passed, failed, warning, skipped };

    std::string name;  ///< "answers ping"
    /// The revision that the server was addressed in: the newest of its era.
    Version version = newest_version;
    Level level = Level::must;
    std::string rule;  ///< where the rule is written: "basic/utilities/ping"
    Verdict verdict = Verdict::passed;
    std::string why;  ///< empty if the check passed
};

/// What validate_server() found.
class ServerReport {
public:
    explicit ServerReport(std::vector<ServerCheck> checks) : checks_(std::move(checks)) {}

    std::vector<ServerCheck> const& checks() const noexcept { return checks_; }
    /// Whether no check failed; warnings do not count.
    bool passed() const noexcept { return count(ServerCheck::Verdict::failed) == 0; }
    std::size_t count(ServerCheck::Verdict verdict) const noexcept;
    /// A line for each check, and a line with the counts.
    std::string to_string() const;

private:
    std::vector<ServerCheck> checks_;
};

/// How a server is validated.
class ServerValidation {
public:
    ServerValidation() = default;

    /// How long the server may take for each answer. Default: 5 s.
    ServerValidation& timeout(Duration most) {
        timeout_ = most;
        return *this;
    }
    /// Checks this era only, and fails if the server does not speak it. Default: the eras that the
    /// server speaks.
    ServerValidation& era(Era only) {
        era_ = only;
        return *this;
    }
    /// The limit on the size of a message that the server has. Default: none, and the limit is not
    /// checked.
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

/// Checks a server by what it answers on connections of its own, opened by the connector. First it
/// finds out which eras of the protocol the server speaks; then it checks the rules of each. If the
/// server answers in no era, the report has one failed check that says why, and no others.
///
/// Checks that leave a connection unchanged share one, since starting a server may take long. A
/// check that does not pass there is repeated on a connection of its own, and only that outcome
/// counts.
///
/// Does not throw: what goes wrong is in the report.
Task<ServerReport> validate_server(Connector& connector, ServerValidation const& options);
Task<ServerReport> validate_server(Connector& connector);

}  // namespace lanyard::testing

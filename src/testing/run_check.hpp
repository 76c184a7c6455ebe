// Runs one check of validate_transport() or validate_server() and reports its outcome.
#pragma once

#include <functional>
#include <string>

#include "testing/transport_checks.hpp"

namespace lanyard::testing::checks {

/// The outcome of a check.
struct Finding {
    enum class Kind { passed, broken, skipped };

    Kind kind = Kind::passed;
    std::string why{};  ///< empty if the check passed
};

/// Runs the check on connections that `make` opens, and closes them. A check that hangs is
/// abandoned after four times the timeout.
Task<Finding> run_check(std::function<Task<>(Bench&)> check, std::function<Task<Link>()> make,
                        TransportPromises promises);

/// Opens a connection whose other end is in another process.
Task<Link> open_link(Connector& connector);

}  // namespace lanyard::testing::checks

// The individual checks of validate_transport().
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/testing/validate_transport.hpp"

namespace lanyard::testing::checks {

/// Thrown if the transport or server does not fulfil the part of the contract that is being
/// checked.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Thrown by a check that does not apply to this transport or server.
class Skipped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An open connection: the end under test, and the other end if it is in this process.
struct Link {
    std::unique_ptr<Transport> near;
    std::unique_ptr<Transport> far;
};

/// The environment of a check. Shared with all coroutines that the check starts, because they may
/// outlive an abandoned check.
struct Bench {
    std::function<Task<Link>()> make;
    TransportPromises promises;
    std::vector<std::shared_ptr<Link>> links;

    /// Opens a connection whose far end sends nothing.
    Task<std::shared_ptr<Link>> open();
    /// Opens a connection whose far end echoes every message.
    Task<std::shared_ptr<Link>> open_echo();
    /// Opens a connection whose far end is served by the endpoint.
    Task<std::shared_ptr<Link>> open_served(std::shared_ptr<Endpoint> endpoint);
};

struct Check {
    std::string_view name;
    Task<> (*run)(Bench& bench);
};

/// Returns the checks of the contract in lanyard/transport.hpp.
std::span<Check const> of_carrier() noexcept;
/// Returns the checks that use a server on top of the transport.
std::span<Check const> of_protocol() noexcept;

}  // namespace lanyard::testing::checks

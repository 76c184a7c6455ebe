// The single checks of validate_transport().
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

/// The transport broke the promise that is being checked.
class Broken : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The check does not apply.
class Skipped : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An open connection: the end under test, and the other where it is in this process.
struct Link {
    std::unique_ptr<Transport> near;
    std::unique_ptr<Transport> far;
};

/// What a check works with. Shared with everything it starts, which may outlive a check that was
/// given up.
struct Bench {
    std::function<Task<Link>()> make;
    TransportPromises promises;
    std::vector<std::shared_ptr<Link>> links;

    /// A new connection whose far end is silent.
    Task<std::shared_ptr<Link>> open();
    /// A new connection whose far end sends back what it gets.
    Task<std::shared_ptr<Link>> open_echo();
    /// A new connection whose far end is served.
    Task<std::shared_ptr<Link>> open_served(std::shared_ptr<Endpoint> endpoint);
};

struct Check {
    std::string_view name;
    Task<> (*run)(Bench& bench);
};

/// What lanyard/transport.hpp promises.
std::span<Check const> of_carrier() noexcept;
/// What a client finds when a server is behind the transport.
std::span<Check const> of_protocol() noexcept;

}  // namespace lanyard::testing::checks

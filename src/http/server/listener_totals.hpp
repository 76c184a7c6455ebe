// ListenerTotals: the limits that apply to the connections of all loops of a listener together.
#pragma once

#include <cstddef>
#include <memory>

#include "base/byte_budget.hpp"
#include "http/server/connection_counts.hpp"
#include "http/server/principal_counts.hpp"
#include "lanyard/http/server_options.hpp"

namespace lanyard::http {

/// Thread-safe.
struct ListenerTotals {
    explicit ListenerTotals(HttpServerOptions const& options)
        : bodies(options.max_body_bytes_total()),
          principals(options.threads()),
          connections(std::make_shared<ConnectionCounts>(options.max_connections(),
                                                         options.max_connections_per_address())) {}

    ByteBudget bodies;  ///< memory of request bodies, except small ones
    PrincipalCounts principals;
    std::shared_ptr<ConnectionCounts> connections;
};

}  // namespace lanyard::http

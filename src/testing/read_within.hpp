// Reading from a transport with a limit on the time it may take.
#pragma once

#include <optional>
#include <span>

#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::testing {

/// What Transport::read() gives. Throws Error (timeout) where nothing has come in time; the read is
/// cancelled then, so that another can follow.
Task<std::optional<std::span<rpc::Frame const>>> read_within(Transport& transport, Duration most);

/// What Transport::write() does, with the same limit.
Task<> write_within(Transport& transport, rpc::Outbox& outbox, Duration most);

}  // namespace lanyard::testing

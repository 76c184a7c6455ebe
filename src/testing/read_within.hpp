// Reads from and writes to a transport with a time limit.
#pragma once

#include <optional>
#include <span>

#include "lanyard/time_source.hpp"
#include "lanyard/transport.hpp"

namespace lanyard::testing {

/// Transport::read() with a time limit. Throws Error (timeout) if nothing arrives in time; the read
/// is then cancelled, so that another can follow.
Task<std::optional<std::span<rpc::Frame const>>> read_within(Transport& transport, Duration most,
                                                             TimeSource& time = real_time());

/// Transport::write() with a time limit. Throws Error (timeout) if the write does not end in time.
Task<> write_within(Transport& transport, rpc::Outbox& outbox, Duration most,
                    TimeSource& time = real_time());

}  // namespace lanyard::testing

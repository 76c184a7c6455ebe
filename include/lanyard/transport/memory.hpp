// In-memory connections: two ends in one process, for servers inside a program and for tests.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <lanyard/transport.hpp>

namespace lanyard {

/// Two ends of one connection. What one writes the other reads, in order; each end is used on its
/// own executor, which may belong to different threads. A direction holds at most `max_bytes` (and
/// always one message); beyond that its writer waits.
std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> memory_pair(
    boost::asio::any_io_executor first, boost::asio::any_io_executor second,
    std::size_t max_bytes = 1024 * 1024);

}  // namespace lanyard

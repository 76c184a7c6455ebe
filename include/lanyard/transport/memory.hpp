// In-memory connections: both ends in one process, for embedded servers and for tests.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <lanyard/transport.hpp>

namespace lanyard {

/// Returns the two ends of one connection. Messages written to one end are read from the other, in
/// order. Each end is used on its own executor; the executors may run on different threads. Each
/// direction accepts messages of any size while it buffers less than `max_bytes`; otherwise the
/// writer waits.
std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> memory_pair(
    boost::asio::any_io_executor first, boost::asio::any_io_executor second,
    std::size_t max_bytes = 1024 * 1024);

}  // namespace lanyard

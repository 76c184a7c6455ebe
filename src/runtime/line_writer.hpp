// LineWriter: writes log lines to a descriptor that may block. Callers never wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "lanyard/clock.hpp"

namespace lanyard::runtime {

/// Limits for the lines that are queued while the descriptor accepts nothing.
struct LineLimits {
    std::size_t lines = 1'000;
    std::size_t bytes = std::size_t{256} * 1024;
};

/// A line is written directly if the descriptor accepts it without blocking. Otherwise it is queued
/// for a thread that may block; lines beyond the limits are dropped and counted. When lines can be
/// written again, an extra line reports how many were dropped. The flags of the descriptor, which
/// other processes may share, are not changed, and SIGPIPE is not raised.
///
/// Thread-safe.
class LineWriter {
public:
    /// The maximum length of a line; longer lines are truncated. A pipe accepts a line of at most
    /// this length as a whole or not at all.
    static constexpr std::size_t max_line_bytes = 4096;

    explicit LineWriter(int descriptor, LineLimits limits = {});
    /// Drops lines that are still queued; call flush() first to write them.
    ~LineWriter();
    LineWriter(LineWriter const&) = delete;
    LineWriter& operator=(LineWriter const&) = delete;

    /// Writes the line and a line end. Control characters (other than tabs) and bytes that are not
    /// UTF-8 are escaped, so that the line cannot control a terminal or look like several lines.
    void write(std::string_view line) noexcept;
    /// Waits until everything is written, but at most for `timeout`, and only while the descriptor
    /// accepts data. Returns false if some lines are left.
    bool flush(Duration timeout) noexcept;

    /// The number of lines dropped so far.
    std::uint64_t dropped() const noexcept;
    /// The number of queued lines.
    std::size_t waiting() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the thread, which may be stuck in a write
};

/// The writer to stderr for the whole process. At exit, queued lines are still written, for a short
/// time and only while stderr accepts them.
LineWriter& standard_error();

/// Writes the parts as one line to stderr.
void print_error_line(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace lanyard::runtime

// LineWriter: log lines for a descriptor that may not take them. Nobody ever waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "lanyard/clock.hpp"

namespace lanyard::runtime {

/// What may wait for a descriptor that does not take anything.
struct LineLimits {
    std::size_t lines = 1'000;
    std::size_t bytes = std::size_t{256} * 1024;
};

/// A line is written in place if the descriptor takes it without waiting. Otherwise it is queued
/// for a thread that may wait, and lines beyond the limits are dropped and counted. When lines are
/// written again, one says how many were lost. The flags of the descriptor, which other processes
/// may share, stay as they are, and SIGPIPE is not raised.
///
/// All functions may be called from any thread.
class LineWriter {
public:
    /// Longer lines are cut, so that a pipe takes each of them as a whole or not at all.
    static constexpr std::size_t max_line_bytes = 4096;

    explicit LineWriter(int descriptor, LineLimits limits = {});
    /// Lines that wait are lost, unless flush() was called.
    ~LineWriter();
    LineWriter(LineWriter const&) = delete;
    LineWriter& operator=(LineWriter const&) = delete;

    /// Adds the line's end.
    void write(std::string_view line) noexcept;
    /// Waits until everything is written, as long as the descriptor takes something and no longer
    /// than the patience. False if some is left.
    bool flush(Duration patience) noexcept;

    /// Lines that were lost.
    std::uint64_t dropped() const noexcept;
    /// Lines that wait.
    std::size_t waiting() const noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the thread, which may be stuck in a write
};

/// Writes to stderr for the whole process. What waits at exit is written as far as stderr takes it.
LineWriter& standard_error();

/// Writes the parts as one line to stderr.
void print_error_line(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace lanyard::runtime

// Input: waits for a descriptor such as stdin, and reads from it.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "lanyard/task.hpp"

namespace lanyard::app {

/// Reads from a descriptor, which must stay open. Unlike Asio's own descriptor classes, this class
/// does not make the descriptor non-blocking, because this would also apply to stdout and to the
/// other processes that use the terminal.
class Input {
public:
    Input(boost::asio::any_io_executor const& executor, int descriptor);

    /// Completes when read() will not block; returns false if cancel() was called. A file is always
    /// readable. Supports Asio cancellation of type `total`.
    Task<bool> wait();
    void cancel();

    /// Returns the bytes that are available. Returns an empty string at the end of the input, and
    /// nullopt if another reader has already taken the bytes.
    std::optional<std::string> read();

private:
    int descriptor_;
    bool waits_ = false;  // false for files, which cannot be waited for
    boost::asio::posix::stream_descriptor epoll_;
};

}  // namespace lanyard::app

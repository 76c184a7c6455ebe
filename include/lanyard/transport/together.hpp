// together(): combines several listeners.
#pragma once

#include <memory>
#include <vector>

#include <lanyard/transport.hpp>

namespace lanyard {

/// Runs all listeners at the same time, for a server that can be reached in several ways. If a
/// listener fails, the other listeners stop, and run() throws the failure.
std::unique_ptr<Listener> together(std::vector<std::unique_ptr<Listener>> listeners);

}  // namespace lanyard

// together(): several listeners as one.
#pragma once

#include <memory>
#include <vector>

#include <lanyard/transport.hpp>

namespace lanyard {

/// Runs all of them at the same time, for a server that is to be reached in several ways. When one
/// fails, the others stop, and run() throws what it has thrown.
std::unique_ptr<Listener> together(std::vector<std::unique_ptr<Listener>> listeners);

}  // namespace lanyard

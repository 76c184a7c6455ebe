// --verbose: prints every message that passes through a connection.
#pragma once

#include <memory>
#include <ostream>

#include "lanyard/transport.hpp"

namespace lanyard::app {

/// Wraps a connector so that its connections print their messages: "--> {...}" if sent, "<-- {...}"
/// if received.
std::unique_ptr<Connector> traced(std::unique_ptr<Connector> connector, std::ostream& out);

}  // namespace lanyard::app

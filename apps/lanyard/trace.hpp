// --verbose: prints every message that passes through a connection.
#pragma once

#include <memory>
#include <ostream>

#include <lanyard/transport.hpp>

namespace lanyard::app {

/// A connector whose connections print their messages: "--> {...}" what is sent, "<-- {...}" what
/// comes.
std::unique_ptr<Connector> traced(std::unique_ptr<Connector> connector, std::ostream& out);

}  // namespace lanyard::app

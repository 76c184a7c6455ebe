// Results of tools, written directly into the message (MCP specification, server/tools).
#pragma once

#include <string>

#include "lanyard/server/tool.hpp"
#include "wire/codec.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// Appends the result of tools/call. Throws Error if the revision cannot express the result.
void append_tool_result(std::string& out, ToolReply const& reply, wire::ResultStamp const& stamp);
void append_tool_failure(std::string& out, wire::ToolFailure const& failure,
                         wire::ResultStamp const& stamp);

}  // namespace lanyard::server

// The server that the official conformance suite tests: the tools, resources and prompts its
// scenarios ask for, in the public API. Their names and answers are the suite's.
#pragma once

#include <memory>

#include <lanyard/server/server.hpp>

namespace lanyard::conformance {

/// Everything below, registered on a server of its own.
std::unique_ptr<Server> make_server();

// One file each.
void add_content_tools(Server& server);
void add_question_tools(Server& server);
void add_input_required_tools(Server& server);
void add_probes(Server& server);
void add_resources(Server& server);
void add_prompts(Server& server);

/// Waits a twentieth of a second, as the suite wants between messages.
Task<> pause();

}  // namespace lanyard::conformance

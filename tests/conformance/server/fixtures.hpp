// The server that the official conformance suite tests: the tools, resources and prompts of its
// scenarios, written with the public API. The suite defines their names and answers.
#pragma once

#include <memory>

#include "lanyard/server/server.hpp"

namespace lanyard::conformance {

/// Returns a server with all features below.
std::unique_ptr<Server> make_server();

// Each function is defined in its own file.
void add_content_tools(Server& server);
void add_question_tools(Server& server);
void add_input_required_tools(Server& server);
void add_probes(Server& server);
void add_resources(Server& server);
void add_prompts(Server& server);

/// Waits 50 ms, as the suite requires between messages.
Task<> pause();

}  // namespace lanyard::conformance

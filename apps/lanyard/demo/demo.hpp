// The demonstration server: every feature of the protocol, each in a few lines. Tests of other
// programs use it, so its answers are a stable interface of `lanyard serve --demo`.
#pragma once

#include <memory>

#include "lanyard/server/server.hpp"

namespace lanyard::app::demo {

/// Creates a server with the features of all functions below.
std::unique_ptr<Server> make_server();

// Each function is defined in its own file.
void add_basics(Server& server);
void add_media(Server& server);
void add_questions(Server& server);
void add_changes(Server& server);
void add_failures(Server& server);
void add_resources(Server& server);
void add_prompts(Server& server);

}  // namespace lanyard::app::demo

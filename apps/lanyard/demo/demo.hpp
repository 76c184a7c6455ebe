// The demonstration server: every feature of the protocol, each in a few lines. Other programs'
// tests talk to it, so what it answers is part of what `lanyard serve --demo` promises.
#pragma once

#include <memory>

#include <lanyard/server/server.hpp>

namespace lanyard::app::demo {

/// Everything below, registered on a server of its own.
std::unique_ptr<Server> make_server();

// One file each.
void add_basics(Server& server);
void add_media(Server& server);
void add_questions(Server& server);
void add_changes(Server& server);
void add_failures(Server& server);
void add_resources(Server& server);
void add_prompts(Server& server);

}  // namespace lanyard::app::demo

#include "demo/demo.hpp"

#include "lanyard/version.hpp"

namespace lanyard::app::demo {

std::unique_ptr<Server> make_server() {
    Implementation info;
    info.name = "lanyard-demo";
    info.version = LANYARD_VERSION_STRING;
    info.title = "Lanyard's demonstration server";
    ServerOptions options;
    options.instructions(
        "Each tool shows one feature of the protocol. Begin with echo and add; count_down shows "
        "progress, book_table asks the user, set_extras changes the lists.");
    auto server = std::make_unique<Server>(std::move(info), options);
    add_basics(*server);
    add_media(*server);
    add_questions(*server);
    add_changes(*server);
    add_failures(*server);
    add_resources(*server);
    add_prompts(*server);
    return server;
}

}  // namespace lanyard::app::demo

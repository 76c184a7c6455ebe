#include "server/fixtures.hpp"

#include <chrono>

#include "lanyard/time_source.hpp"
#include "lanyard/version.hpp"

namespace lanyard::conformance {

std::unique_ptr<Server> make_server() {
    auto server = std::make_unique<Server>("lanyard-conformance", LANYARD_VERSION_STRING);
    add_content_tools(*server);
    add_question_tools(*server);
    add_input_required_tools(*server);
    add_probes(*server);
    add_resources(*server);
    add_prompts(*server);
    return server;
}

Task<> pause() {
    return sleep_for(std::chrono::milliseconds(50));
}

}  // namespace lanyard::conformance

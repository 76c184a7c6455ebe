// `lanyard version`: prints the version of the program and its protocol revisions.
#include "lanyard/version.hpp"
#include "lanyard/protocol/era.hpp"

#include <iostream>

#include "command.hpp"
#include "line_editor.hpp"

namespace lanyard::app {

void declare_version(CLI::App& app, Invocation&) {
    app.callback([] {
        std::cout << "lanyard " << library_version << "\nprotocol revisions:";
        for (auto const version : all_versions) std::cout << ' ' << to_string(version);
        std::cout << "\nline editing: " << (has_line_editing() ? "libedit" : "none") << '\n';
    });
}

}  // namespace lanyard::app

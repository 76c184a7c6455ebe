// The option --framing, of commands that start a server and of `serve`.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "lanyard/transport/framing.hpp"

namespace lanyard::app {

inline CLI::Option* add_framing_option(CLI::App& app, std::optional<std::string>& framing,
                                       std::string const& description) {
    return app.add_option("--framing", framing, description + ": newline or content-length")
        ->check(CLI::IsMember({"newline", "content-length"}));
}

inline StreamOptions framed_stream(std::optional<std::string> const& framing) {
    return StreamOptions().framing(framing == "content-length" ? Framing::content_length
                                                               : Framing::newline);
}

}  // namespace lanyard::app

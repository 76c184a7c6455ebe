// Results as JSON in the format of the protocol, for --json.
#pragma once

#include "lanyard/json/writer.hpp"
#include "lanyard/protocol/era.hpp"

#include <iostream>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "terminal.hpp"
#include "wire/codec.hpp"

namespace lanyard::app {

/// Returns the result as one line of JSON in the format of this revision, safe to print on a
/// terminal.
template <class R>
std::string result_json(R const& result, Version version) {
    std::string text;
    json::Writer writer(text);
    wire::ResultStamp const stamp{.version = version};
    if (auto const encoded = wire::encode_result(writer, result, stamp); !encoded) {
        throw Failure(Exit::protocol_error, encoded.error().message());
    }
    return escaped_json(text);
}

/// Prints JSON on stdout: on one line, or indented if --pretty was given.
inline void print_json(std::string const& json, Invocation const& invocation) {
    std::cout << (invocation.pretty ? indented_json(json) : json) << '\n';
}

}  // namespace lanyard::app

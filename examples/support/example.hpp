// Common parts of the example clients. Each is started as
//
//     client SERVER [REVISION]
//
// and uses the newest protocol revision unless another is given, so that ctest can run an example
// with each of them.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include <lanyard/client.hpp>
#include <lanyard/transport/child_process.hpp>

namespace example {

/// Throws if the condition is false, which ends the client with an exit code other than 0.
inline void expect(bool holds, std::string_view what) {
    if (!holds) throw std::runtime_error("not as expected: " + std::string(what));
}

/// Returns the program to start as the server.
inline std::string server(int argc, char** argv) {
    if (argc < 2) throw std::runtime_error("usage: client SERVER [REVISION]");
    return argv[1];
}

/// Returns options for the revision given on the command line.
inline lanyard::ClientOptions options(int argc, char** argv) {
    lanyard::ClientOptions options("example", "1.0.0");
    if (argc > 2) {
        auto const version = lanyard::parse_version(argv[2]);
        if (!version)
            throw std::runtime_error("no such protocol revision: " + std::string(argv[2]));
        options.versions({*version});
    }
    return options;
}

/// Runs the example and returns its exit code.
template <class Story>
int run(Story story) {
    try {
        story();
        return 0;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace example

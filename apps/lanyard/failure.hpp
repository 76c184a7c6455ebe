// Failure: why a command ends with an exit code other than 0, and how the reason is reported.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lanyard/error.hpp"
#include "lanyard/json/raw_json.hpp"

namespace lanyard::app {

/// Exit codes of the program; scripts rely on the numbers.
enum class Exit : int {
    ok = 0,
    usage = 1,
    authorization_needed = 3,
    unreachable = 4,
    tool_error = 5,
    protocol_error = 6,
    timeout = 7,
    interrupted = 130,  ///< interrupted by Ctrl-C; the shell convention is 128 + SIGINT
};

/// Returns the name of the enumerator, such as "tool_error".
std::string_view to_string(Exit exit) noexcept;

/// Thrown to end a command; the text is shown to the user.
class Failure : public std::runtime_error {
public:
    Failure(Exit exit, std::string const& text) : std::runtime_error(text), exit_(exit) {}

    Failure& code(std::int64_t code) {
        code_ = code;
        return *this;
    }
    Failure& data(RawJson data) {
        data_ = std::move(data);
        return *this;
    }

    /// Returns the same failure with a different text.
    Failure with_text(std::string const& text) const {
        Failure other(exit_, text);
        other.code_ = code_;
        other.data_ = data_;
        return other;
    }

    Exit exit() const noexcept { return exit_; }
    /// The JSON-RPC error code, if the server sent one.
    std::optional<std::int64_t> code() const noexcept { return code_; }
    RawJson const& data() const noexcept { return data_; }

private:
    Exit exit_;
    std::optional<std::int64_t> code_;
    RawJson data_;
};

/// Throws Failure (usage).
[[noreturn]] void usage_error(std::string const& text);

/// Converts any exception (of a call, a connection, ...) to a Failure.
Failure failure_of(std::exception_ptr thrown);

/// Prints the failure to stderr, as a sentence or as one line of JSON. Returns the exit code.
Exit report(Failure const& failure, bool json);

}  // namespace lanyard::app

#include "failure.hpp"

#include "lanyard/json/writer.hpp"

#include <iostream>

#include "terminal.hpp"

namespace lanyard::app {
namespace {

Exit exit_of(Error const& error) {
    if (error.peer_code()) return Exit::protocol_error;
    switch (static_cast<Errc>(error.code().value())) {
        case Errc::unauthorized:
            return Exit::authorization_needed;
        case Errc::timeout:
            return Exit::timeout;
        case Errc::cancelled:
            return Exit::interrupted;
        case Errc::closed:
        case Errc::transport_down:
        case Errc::unavailable:
        case Errc::failed:
        case Errc::shutdown:
            return Exit::unreachable;
        case Errc::invalid_argument:
            return Exit::usage;
        default:
            return Exit::protocol_error;
    }
}

Failure failure_of(Error const& error) {
    auto text = error.message();
    if (error.peer_code()) {
        text = "the server refused: " + text + " (code " + std::to_string(*error.peer_code()) + ")";
    }
    if (error.is(Errc::timeout)) text += "; --timeout sets how long to wait";
    if (error.is(Errc::unauthorized)) text += "; --bearer-env or --header sends credentials";
    Failure failure(exit_of(error), text);
    if (error.peer_code()) failure.code(*error.peer_code());
    if (!error.data().empty()) failure.data(RawJson::trusted(error.data()));
    return failure;
}

}  // namespace

std::string_view to_string(Exit exit) noexcept {
    switch (exit) {
        case Exit::ok:
            return "ok";
        case Exit::usage:
            return "usage";
        case Exit::authorization_needed:
            return "authorization_needed";
        case Exit::unreachable:
            return "unreachable";
        case Exit::tool_error:
            return "tool_error";
        case Exit::protocol_error:
            return "protocol_error";
        case Exit::timeout:
            return "timeout";
        case Exit::interrupted:
            return "interrupted";
    }
    return "";
}

void usage_error(std::string const& text) {
    throw Failure(Exit::usage, text);
}

Failure failure_of(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (Failure const& failure) {
        return failure;
    } catch (Error const& error) {
        return failure_of(error);
    } catch (ToolError const& error) {
        return Failure(Exit::tool_error, error.what());
    } catch (std::exception const& error) {
        return Failure(Exit::protocol_error, error.what());
    }
}

Exit report(Failure const& failure, bool json) {
    if (!json) {
        std::cerr << "lanyard: " << without_control_characters(failure.what()) << '\n';
        return failure.exit();
    }
    std::string line;
    json::Writer writer(line);
    writer.begin_object().key("error").begin_object();
    writer.key("kind").string(to_string(failure.exit()));
    writer.key("exit").integer(static_cast<int>(failure.exit()));
    writer.key("message").string(failure.what());
    if (failure.code()) writer.key("code").integer(*failure.code());
    if (!failure.data().empty()) writer.key("data").raw(failure.data().text());
    writer.end_object().end_object();
    std::cerr << escaped_json(line) << '\n';
    return failure.exit();
}

}  // namespace lanyard::app

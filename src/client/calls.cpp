#include "client/calls.hpp"

namespace lanyard::client {

Error wrong_result(std::string_view method, DecodeError const& error) {
    return {Errc::protocol_violation,
            "the server answered " + std::string(method) + " wrongly: " + error.to_string()};
}

void report_skipped(ClientSession& session, std::string_view method, DecodeError const& entry) {
    session.reports().report_violation("an entry of its answer to " + std::string(method) +
                                       " cannot be read and is left out: " + entry.to_string());
}

}  // namespace lanyard::client

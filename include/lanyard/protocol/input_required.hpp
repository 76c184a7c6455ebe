// Questions that a server embeds in a result, and their answers in the retried request (MCP
// specification, basic/patterns/mrtr; from 2026-07-28).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/protocol/roots.hpp>
#include <lanyard/protocol/sampling.hpp>

namespace lanyard {

using InputRequest = std::variant<ElicitParams, CreateMessageParams, ListRootsParams>;
using InputRequests = std::map<std::string, InputRequest>;

using InputResponse = std::variant<ElicitResult, CreateMessageResult, ListRootsResult>;
using InputResponses = std::map<std::string, InputResponse>;

/// The request cannot be completed yet: the client answers the questions and sends the request
/// again. At least one of `input_requests` and `request_state` is present.
struct InputRequiredResult {
    InputRequests input_requests{};
    std::optional<std::string> request_state{};  ///< opaque; returned unchanged with the retry
    Meta meta{};
    JsonObject extra{};

    bool operator==(InputRequiredResult const&) const = default;
};

/// The members that a retry adds to the parameters of the original request.
struct InputRetry {
    InputResponses input_responses{};
    std::optional<std::string> request_state{};

    bool empty() const noexcept { return input_responses.empty() && !request_state; }

    bool operator==(InputRetry const&) const = default;
};

}  // namespace lanyard

// Requests for input (elicitation, sampling, roots) that a server embeds in a result, and the
// answers that the client sends with the retried request (MCP specification, basic/patterns/mrtr;
// since protocol revision 2026-07-28).
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

/// The result of a request that cannot be completed yet: the client collects the input that the
/// server asks for, and sends the request again. At least one of `input_requests` and
/// `request_state` is present.
struct InputRequiredResult {
    InputRequests input_requests{};
    std::optional<std::string> request_state{};  ///< opaque; the client sends it back unchanged
    Meta meta{};
    JsonObject extra{};

    bool operator==(InputRequiredResult const&) const = default;
};

/// The members that a retried request has in addition to the parameters of the original request.
struct InputRetry {
    InputResponses input_responses{};
    std::optional<std::string> request_state{};

    bool empty() const noexcept { return input_responses.empty() && !request_state; }

    bool operator==(InputRetry const&) const = default;
};

}  // namespace lanyard

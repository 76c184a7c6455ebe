// Wire tables of requests embedded in results, and of their responses.
#pragma once

#include "lanyard/protocol/input_required.hpp"
#include "wire/tables/elicitation.hpp"
#include "wire/tables/sampling.hpp"

namespace lanyard {

/// Written as {"method": ..., "params": {...}}.
template <>
struct Codec<InputRequest> {
    static void encode(json::Writer& writer, InputRequest const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, InputRequest& out, DecodeContext& context);
};

/// The JSON object of a result. decode() recognizes the kind of the result by a member that no
/// other kind has: `action`, `model` or `roots`.
template <>
struct Codec<InputResponse> {
    static void encode(json::Writer& writer, InputResponse const& value,
                       EncodeContext const& context);
    static bool decode(json::View view, InputResponse& out, DecodeContext& context);
};

}  // namespace lanyard

namespace lanyard::wire {

template <auto Retry>
constexpr auto input_responses() {
    return through<Retry, &InputRetry::input_responses>("inputResponses", omit_empty,
                                                        from(Feature::input_required));
}

template <auto Retry>
constexpr auto request_state() {
    return through<Retry, &InputRetry::request_state>("requestState",
                                                      from(Feature::input_required));
}

}  // namespace lanyard::wire

namespace lanyard::reflect {

template <>
inline constexpr auto description<InputRequiredResult> = describe<InputRequiredResult>(
    "input_required result", constant<InputRequiredResult>("resultType", "input_required"),
    field<&InputRequiredResult::input_requests>("inputRequests", omit_empty),
    field<&InputRequiredResult::request_state>("requestState"),
    wire::meta<&InputRequiredResult::meta>(), rest<&InputRequiredResult::extra>());

}  // namespace lanyard::reflect

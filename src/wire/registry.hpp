// The methods of each revision, by the side that receives them. A request for a method that is not
// listed for a revision is answered with -32601.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lanyard/protocol/methods.hpp"

namespace lanyard::wire {

enum class Side : std::uint8_t { client, server };

/// The outcome of looking a method up. The params are decoded only if the method is `found`; if
/// decoding fails, the request is answered with -32602.
struct MethodLookup {
    enum class Outcome : std::uint8_t {
        found,
        other_version,    ///< the method exists, but not in this revision
        other_direction,  ///< the method exists, but this receiver never gets it
        unknown,
    };

    Outcome outcome = Outcome::unknown;
    MethodInfo const* info = nullptr;  ///< null if unknown

    explicit operator bool() const noexcept { return outcome == Outcome::found; }
};

MethodLookup find_request(std::string_view method, Version version, Side receiver) noexcept;
MethodLookup find_notification(std::string_view method, Version version, Side receiver) noexcept;

/// All methods of all revisions, sorted by name.
std::span<MethodInfo const> all_requests() noexcept;
std::span<MethodInfo const> all_notifications() noexcept;

/// Returns which side may send the method in this revision. From protocol revision 2026-07-28 on,
/// only clients send requests, and only servers report progress.
Direction direction_in(MethodInfo const& method, Version version) noexcept;

/// Whether a request for the method may be answered with `input_required`, after which the client
/// sends the request again.
bool allows_input_required(MethodInfo const& method) noexcept;

}  // namespace lanyard::wire

#include "wire/era_detection.hpp"

#include <lanyard/protocol/era.hpp>

namespace lanyard::wire {
namespace {

using rpc::MessageKind;

// Whether the header names a modern revision that is known. Unknown values do not count, because
// older clients may send anything.
bool is_modern(std::optional<std::string_view> header) noexcept {
    auto const version = header ? parse_version(*header) : std::nullopt;
    return version && era_of(*version) == Era::modern;
}

}  // namespace

EraDetection detect_http(Opening const& opening) noexcept {
    switch (opening.kind) {
        case MessageKind::batch:
            return opening.claim ? EraDetection::batched_modern : EraDetection::legacy;
        case MessageKind::request:
            if (opening.claim) return EraDetection::modern;
            return is_modern(opening.header) ? EraDetection::missing_metadata
                                             : EraDetection::legacy;
        case MessageKind::notification:
            return opening.claim || is_modern(opening.header) ? EraDetection::modern
                                                              : EraDetection::legacy;
        default:
            // Only clients of the legacy era send responses.
            return EraDetection::legacy;
    }
}

}  // namespace lanyard::wire

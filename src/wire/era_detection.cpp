#include "wire/era_detection.hpp"

#include "lanyard/protocol/methods.hpp"

namespace lanyard::wire {
namespace {

using rpc::MessageKind;

// Whether the header names a modern revision that is known. Unknown values do not count, because
// older clients may send any value.
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

EraDetection ConnectionEra::observe(Opening const& opening) noexcept {
    if (pinned_ == Era::legacy) return EraDetection::legacy;
    if (pinned_ == Era::modern) {
        if (opening.kind == MessageKind::batch) return EraDetection::batched_modern;
        // Only requests carry metadata.
        if (opening.kind != MessageKind::request || opening.claim) return EraDetection::modern;
        return opening.method == methods::Initialize::info.name ? EraDetection::refused_legacy
                                                                : EraDetection::missing_metadata;
    }
    auto const seen = detect_http(opening);
    bool const probe = opening.method == methods::Discover::info.name;
    if (!probe && opening.kind != MessageKind::notification) {
        pinned_ = seen == EraDetection::modern ? Era::modern : Era::legacy;
    }
    return seen;
}

}  // namespace lanyard::wire

#include "peer/request_metadata.hpp"

#include <utility>

namespace lanyard::rpc {

Result<CheckedMetadata, MetadataFault> check_metadata(VersionSet supported,
                                                      std::optional<json::View> params) {
    auto envelope = wire::read_request_envelope(params);
    if (!envelope) {
        auto const& error = envelope.error();
        return Unexpected(MetadataFault{.condition = wire::Condition::missing_metadata,
                                        .message = error.to_string(),
                                        .pointer = error.pointer});
    }
    auto const version = check_requested_version(supported, envelope->protocol_version);
    if (!version) {
        auto const& error = version.error();
        return Unexpected(MetadataFault{.condition = wire::Condition::unsupported_version,
                                        .message = error.message(),
                                        .data = std::string(error.data())});
    }
    return CheckedMetadata{*version, *std::move(envelope)};
}

}  // namespace lanyard::rpc

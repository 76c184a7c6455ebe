// Checks the metadata that a stateless request carries (MCP specification, basic/index, from
// 2026-07-28).
#pragma once

#include <optional>
#include <string>

#include "lanyard/json/document.hpp"
#include "lanyard/protocol/era.hpp"
#include "lanyard/result.hpp"
#include "peer/negotiation.hpp"
#include "wire/errors.hpp"
#include "wire/modern.hpp"

namespace lanyard::rpc {

/// The metadata of a request whose revision is supported.
struct CheckedMetadata {
    Version version{};
    wire::RequestEnvelope envelope;
};

/// Why the metadata of a request is refused.
struct MetadataFault {
    wire::Condition condition;  ///< missing_metadata or unsupported_version
    std::string message;
    std::string pointer{};  ///< JSON pointer from the params to the faulty member; may be empty
    std::string data{};     ///< the data of an UnsupportedProtocolVersion error; may be empty
};

/// Reads the metadata from the params of a request, and checks that it is complete and names one of
/// the supported revisions.
Result<CheckedMetadata, MetadataFault> check_metadata(VersionSet supported,
                                                      std::optional<json::View> params);

}  // namespace lanyard::rpc

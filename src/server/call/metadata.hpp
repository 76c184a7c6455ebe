// MetadataReader: reads the sender's metadata from a stateless request (MCP specification,
// basic/index, from 2026-07-28).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lanyard/protocol/era.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/rpc/message.hpp"
#include "server/core/client_info.hpp"
#include "server/core/server_core.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

struct RequestMetadata {
    Version version{};
    std::shared_ptr<ClientInfo const> client;
    std::optional<LoggingLevel> log_level;  ///< lowest severity of log messages the client wants
};

/// Reads the metadata of requests. Most requests repeat the metadata of an earlier one, so results
/// are cached; the key is the metadata's JSON text. Not thread-safe.
class MetadataReader {
public:
    /// `kept` is the maximum number of cache entries.
    MetadataReader(ServerCore& core, std::size_t kept) : core_(core), slots_(kept) {}

    /// The result is valid until the next call of this function. The error names the missing
    /// member, or says that the revision is not supported.
    Result<RequestMetadata const*, wire::WireError> read(rpc::Envelope const& request);

private:
    struct Kept {
        std::string text;
        RequestMetadata metadata;
    };
    Result<RequestMetadata, wire::WireError> decode(rpc::Envelope const& request) const;

    ServerCore& core_;
    std::size_t slots_;
    std::vector<Kept> kept_;  // allocated on first use
    std::size_t latest_ = 0;  // index of the entry used last
    RequestMetadata last_;    // the latest metadata that was not cached
};

}  // namespace lanyard::server

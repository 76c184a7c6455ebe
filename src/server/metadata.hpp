// MetadataReader: what a request that stands for itself says about its sender (basic/index, from
// 2026-07-28).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lanyard/protocol/base.hpp"
#include "lanyard/protocol/capabilities.hpp"
#include "lanyard/protocol/logging.hpp"
#include "lanyard/rpc/message.hpp"
#include "server/core.hpp"
#include "wire/errors.hpp"

namespace lanyard::server {

/// What a client has said about itself.
struct ClientFacts {
    Implementation info{};
    ClientCapabilities capabilities{};

    bool operator==(ClientFacts const&) const = default;
};

struct RequestMetadata {
    Version version{};
    std::shared_ptr<ClientFacts const> client;
    std::optional<LoggingLevel> log_level;  ///< the least grave messages the client wants
};

/// Most requests say what one of those before has said, so that it need not be read again. Not
/// thread-safe.
class MetadataReader {
public:
    /// `kept` is how many different ones are remembered.
    MetadataReader(ServerCore& core, std::size_t kept) : core_(core), slots_(kept) {}

    /// Valid until the next call. The error says what is missing, or that the revision is not
    /// served.
    Result<RequestMetadata const*, wire::WireError> read(rpc::Envelope const& request);

private:
    struct Kept {
        std::string text;
        RequestMetadata metadata;
    };
    Result<RequestMetadata, wire::WireError> decode(rpc::Envelope const& request) const;

    ServerCore& core_;
    std::size_t slots_;
    std::vector<Kept> kept_;  // there once anything was read
    std::size_t latest_ = 0;  // of kept_, what was asked for last
    RequestMetadata last_;    // what is too long to be kept
};

}  // namespace lanyard::server

// The result of server/discover: the server's versions and capabilities (since protocol revision
// 2026-07-28).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <lanyard/protocol/base.hpp>
#include <lanyard/protocol/cache.hpp>
#include <lanyard/protocol/capabilities.hpp>

namespace lanyard {

using DiscoverParams = EmptyParams;

struct DiscoverResult {
    std::vector<std::string> supported_versions{};
    ServerCapabilities capabilities{};
    std::string instructions{};
    CacheHint cache{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(DiscoverResult const&) const = default;
};

}  // namespace lanyard

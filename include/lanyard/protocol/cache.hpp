// Cache hints on list and read results (MCP specification, server/utilities/caching; since protocol
// revision 2026-07-28).
#pragma once

#include <chrono>

#include <lanyard/protocol/enum_names.hpp>

namespace lanyard {

enum class CacheScope { public_, private_ };

template <>
struct EnumNames<CacheScope> {
    static constexpr std::array<std::string_view, 2> value{"public", "private"};
};

/// How long, and for whom, a result may be cached. By default a result is not cached.
struct CacheHint {
    std::chrono::milliseconds ttl{0};
    CacheScope scope = CacheScope::private_;

    bool operator==(CacheHint const&) const = default;
};

}  // namespace lanyard

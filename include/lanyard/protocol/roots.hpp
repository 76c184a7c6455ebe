// Roots: the folders that a client makes available to a server (MCP specification, client/roots).
#pragma once

#include <string>
#include <vector>

#include <lanyard/protocol/base.hpp>

namespace lanyard {

struct Root {
    std::string uri{};  ///< a file:// URI
    std::string name{};
    Meta meta{};

    bool operator==(Root const&) const = default;
};

using ListRootsParams = EmptyParams;

struct ListRootsResult {
    std::vector<Root> roots{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(ListRootsResult const&) const = default;
};

}  // namespace lanyard

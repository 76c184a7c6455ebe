// Operations for every request for a feature but calls of registered tools (server/tool_operation).
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "server/operation.hpp"
#include "server/read_cache.hpp"
#include "server/resolver.hpp"

namespace lanyard::server {

/// What a request is served from.
struct FeatureScope {
    std::shared_ptr<Catalog const> catalog;
    std::shared_ptr<std::vector<Filter> const> filters;  ///< null where there are none
    std::size_t page_size = 0;
    CacheHint list_cache{};
    ReadCache* reads = nullptr;  ///< outlives the operation; null where nothing is kept
    /// Gets what went wrong with a provider that a list leaves out.
    std::function<void(std::string_view text)> log;

    Resolver resolver(Context& context) const;
};

/// The operation that serves the request; an error where there is nothing to serve. Methods:
/// tools/list, resources/list, resources/templates/list, resources/read, prompts/list, prompts/get,
/// completion/complete, and tools/call of a tool that is not registered.
Result<std::unique_ptr<Operation>, wire::WireError> make_feature_operation(
    std::string_view method, json::View params, wire::ResultStamp const& stamp, FeatureScope scope,
    Context& context);

}  // namespace lanyard::server

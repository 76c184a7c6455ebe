// Lists of features as encoded results, page by page (MCP specification,
// server/utilities/pagination).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/json/raw_json.hpp"
#include "lanyard/result.hpp"
#include "server/catalog/catalog.hpp"

namespace lanyard::server {

/// The parameters of a request for a list, and the metadata that the server adds to every answer.
struct ListRequest {
    Version version = newest_version;
    std::optional<std::string> cursor{};
    std::size_t page_size = 0;  ///< 0 puts everything on one page
    CacheHint cache{};
    RawJson server_info{};  ///< the server's name and version, as in wire::ResultStamp
};

/// The encoded result, a JSON object; an error if the cursor is invalid.
using ListAnswer = Result<std::shared_ptr<std::string const>, DecodeError>;

/// Returns whether the peer may see a feature. If the function is empty, the peer may see all
/// features.
template <class Value>
using Visible = std::function<bool(Value const&)>;

// These functions list registered features. The unfiltered first page is cached for each revision
// until the list changes.

ListAnswer list_tools(Catalog const& catalog, ListRequest const& request,
                      Visible<Tool> const& visible = {});
ListAnswer list_resources(Catalog const& catalog, ListRequest const& request,
                          Visible<Resource> const& visible = {});
ListAnswer list_resource_templates(Catalog const& catalog, ListRequest const& request,
                                   Visible<ResourceTemplate> const& visible = {});
ListAnswer list_prompts(Catalog const& catalog, ListRequest const& request,
                        Visible<Prompt> const& visible = {});

/// Returns one page of values from several sources. If several values have the same key, only the
/// first is kept.
template <class Value>
ListAnswer list_values(std::vector<Value> values, ListRequest const& request);

}  // namespace lanyard::server

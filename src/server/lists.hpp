// Lists of features as encoded results, page by page (server/utilities/pagination).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/json/raw_json.hpp"
#include "lanyard/result.hpp"
#include "server/catalog.hpp"

namespace lanyard::server {

/// What a peer asks for, and what every answer of this server says.
struct ListRequest {
    Version version = newest_version;
    std::optional<std::string> cursor{};
    std::size_t page_size = 0;  ///< 0 puts everything on one page
    CacheHint cache{};
    RawJson server_info{};  ///< as wire::ResultStamp has it
};

/// The encoded result: a JSON object. Fails on a bad cursor.
using ListAnswer = Result<std::shared_ptr<std::string const>, DecodeError>;

/// Which features the peer may see; empty where it may see all.
template <class Value>
using Visible = std::function<bool(Value const&)>;

// The registered features. The unfiltered first page is encoded once per revision and change.

ListAnswer list_tools(Catalog const& catalog, ListRequest const& request,
                      Visible<Tool> const& visible = {});
ListAnswer list_resources(Catalog const& catalog, ListRequest const& request,
                          Visible<Resource> const& visible = {});
ListAnswer list_resource_templates(Catalog const& catalog, ListRequest const& request,
                                   Visible<ResourceTemplate> const& visible = {});
ListAnswer list_prompts(Catalog const& catalog, ListRequest const& request,
                        Visible<Prompt> const& visible = {});

/// One page of values that come from several sources. Of those with the same key the first stays.
template <class Value>
ListAnswer list_values(std::vector<Value> values, ListRequest const& request);

}  // namespace lanyard::server

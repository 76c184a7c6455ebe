#include "server/catalog/lists.hpp"

#include <algorithm>

#include "peer/cursor.hpp"
#include "wire/codec.hpp"

namespace lanyard::server {

namespace {

// Describes the list of one kind of feature: its name in cursors, and the result member that holds
// the items.
template <class Value>
struct List;

template <>
struct List<Tool> {
    static constexpr std::string_view name = "tools";
    using Result = ListToolsResult;
    static auto& items(Result& result) { return result.tools; }
};

template <>
struct List<Resource> {
    static constexpr std::string_view name = "resources";
    using Result = ListResourcesResult;
    static auto& items(Result& result) { return result.resources; }
};

template <>
struct List<ResourceTemplate> {
    static constexpr std::string_view name = "templates";
    using Result = ListResourceTemplatesResult;
    static auto& items(Result& result) { return result.resource_templates; }
};

template <>
struct List<Prompt> {
    static constexpr std::string_view name = "prompts";
    using Result = ListPromptsResult;
    static auto& items(Result& result) { return result.prompts; }
};

// Encodes one page. `range` is sorted by key; `value_of` returns the value of an item of the range,
// and `seen` whether the peer may see the item.
template <class Value, class Range, class ValueOf, class Seen>
ListAnswer make_page(Range const& range, ValueOf const& value_of, Seen const& seen,
                     ListRequest const& request) {
    auto const key = [&](auto const& item) { return key_of(value_of(item)); };
    auto page =
        rpc::page_of(List<Value>::name, range, key, seen, request.cursor, request.page_size);
    if (!page) return Unexpected(std::move(page).error());
    typename List<Value>::Result result;
    auto& items = List<Value>::items(result);
    items.reserve(page->items.size());
    for (auto const* item : page->items) items.push_back(value_of(*item));
    result.next_cursor = std::move(page->next_cursor);
    result.cache = request.cache;
    wire::ResultStamp stamp;
    stamp.version = request.version;
    stamp.server_info = request.server_info;
    auto body = std::make_shared<std::string>();
    json::Writer writer(*body);
    wire::encode_result(writer, result, stamp).value();
    return std::shared_ptr<std::string const>(std::move(body));
}

template <class Entry, class Value = typename Entry::Value>
ListAnswer list(FeatureIndex<Entry> const& index, ListRequest const& request,
                Visible<Value> const& visible) {
    using Item = typename FeatureIndex<Entry>::Item;
    auto const value_of = [](Item const& item) -> Value const& { return *item.value; };
    auto const seen = [&](Item const& item) { return !visible || visible(*item.value); };
    auto const make = [&] { return make_page<Value>(index.items(), value_of, seen, request); };
    if (request.cursor || visible) return make();
    // The first page cannot fail, because only a cursor can be invalid.
    return index.first_page(request.version, request.page_size, request.cache,
                            request.server_info.text(), [&] { return make().value(); });
}

}  // namespace

ListAnswer list_tools(Catalog const& catalog, ListRequest const& request,
                      Visible<Tool> const& visible) {
    return list(catalog.tools(), request, visible);
}

ListAnswer list_resources(Catalog const& catalog, ListRequest const& request,
                          Visible<Resource> const& visible) {
    return list(catalog.resources(), request, visible);
}

ListAnswer list_resource_templates(Catalog const& catalog, ListRequest const& request,
                                   Visible<ResourceTemplate> const& visible) {
    return list(catalog.templates(), request, visible);
}

ListAnswer list_prompts(Catalog const& catalog, ListRequest const& request,
                        Visible<Prompt> const& visible) {
    return list(catalog.prompts(), request, visible);
}

template <class Value>
ListAnswer list_values(std::vector<Value> values, ListRequest const& request) {
    auto const key = [](Value const& value) { return key_of(value); };
    std::ranges::stable_sort(values, {}, key);
    auto const surplus = std::ranges::unique(values, {}, key);
    values.erase(surplus.begin(), surplus.end());
    auto const value_of = [](Value const& value) -> Value const& { return value; };
    return make_page<Value>(values, value_of, [](Value const&) { return true; }, request);
}

template ListAnswer list_values(std::vector<Tool>, ListRequest const&);
template ListAnswer list_values(std::vector<Resource>, ListRequest const&);
template ListAnswer list_values(std::vector<ResourceTemplate>, ListRequest const&);
template ListAnswer list_values(std::vector<Prompt>, ListRequest const&);

}  // namespace lanyard::server

#include "server/lists.hpp"

#include "lanyard/protocol/tools.hpp"
#include "rpc/cursor.hpp"
#include "wire/codec.hpp"

namespace lanyard::server {

namespace {

// Names a list in its cursors, and says where its result keeps the items.
struct ToolList {
    static constexpr std::string_view name = "tools";
    using Result = ListToolsResult;
    static auto& items(Result& result) { return result.tools; }
};

template <class List>
std::shared_ptr<std::string const> encode(typename List::Result result,
                                          ListRequest const& request) {
    result.cache = request.cache;
    wire::ResultStamp stamp;
    stamp.version = request.version;
    stamp.server_info = request.server_info;
    auto body = std::make_shared<std::string>();
    json::Writer writer(*body);
    wire::encode_result(writer, result, stamp).value();
    return body;
}

template <class List, class Entry>
ListAnswer list(Shelf<Entry> const& shelf, ListRequest const& request,
                Visible<typename Entry::Value> const& visible) {
    using Item = typename Shelf<Entry>::Item;
    auto const key = [](Item const& item) { return key_of(*item.value); };
    auto const seen = [&](Item const& item) { return !visible || visible(*item.value); };
    auto const make = [&]() -> ListAnswer {
        auto page =
            rpc::page_of(List::name, shelf.items(), key, seen, request.cursor, request.page_size);
        if (!page) return Unexpected(std::move(page).error());
        typename List::Result result;
        List::items(result).reserve(page->items.size());
        for (auto const* item : page->items) List::items(result).push_back(*item->value);
        result.next_cursor = std::move(page->next_cursor);
        return encode<List>(std::move(result), request);
    };
    if (request.cursor || visible) return make();
    // Without a cursor nothing can be wrong with the request.
    return shelf.first_page(request.version, request.page_size, request.cache,
                            request.server_info.text(), [&] { return make().value(); });
}

}  // namespace

ListAnswer list_tools(Catalog const& catalog, ListRequest const& request,
                      Visible<Tool> const& visible) {
    return list<ToolList>(catalog.tools(), request, visible);
}

}  // namespace lanyard::server

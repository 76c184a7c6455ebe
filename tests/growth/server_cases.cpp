// Catalogs with many features: registering, listing page by page, finding, matching.
#include "growth_cases.hpp"
#include "server/catalog/catalog.hpp"
#include "server/catalog/lists.hpp"
#include "server/catalog/read_cache.hpp"

namespace lanyard::growth {

namespace {

using server::CatalogStore;

void add_tool(CatalogStore& store, std::size_t number) {
    auto const handler = [] { return "done"; };
    store.add_tool(describe_tool<decltype(handler)>("tool" + std::to_string(number), "A tool"),
                   bind_tool(handler), {}, server::Typing::typed);
}

void add_template(CatalogStore& store, std::size_t number) {
    ResourceTemplate value;
    value.name = "rows";
    value.uri_template = "db://table" + std::to_string(number) + "/{id}{?columns*}";
    store.add_resource_template(std::move(value), bind_resource_template([] { return "row"; }), {});
}

std::shared_ptr<CatalogStore> store_with(std::size_t count,
                                         void (*add)(CatalogStore&, std::size_t)) {
    auto store = std::make_shared<CatalogStore>();
    for (std::size_t i = 0; i < count; ++i) add(*store, i);
    static_cast<void>(store->snapshot());
    return store;
}

void list_all_pages(CatalogStore const& store) {
    server::ListRequest request;
    request.page_size = 50;
    for (;;) {
        auto const answer = server::list_tools(*store.snapshot(), request);
        auto const result = json::parse(**answer).value();
        auto const* next = result.as_object().if_contains("nextCursor");
        if (next == nullptr) return;
        request.cursor = next->as_string();
    }
}

}  // namespace

std::vector<Case> server_cases() {
    return {
        {"registering tools one by one",
         [](std::size_t n) { return [n] { store_with(n, &add_tool); }; }, 2'000},
        {"listing tools page by page",
         [](std::size_t n) {
             return [store = store_with(n, &add_tool)] { list_all_pages(*store); };
         },
         1'000},
        {"finding every tool",
         [](std::size_t n) {
             return [n, catalog = store_with(n, &add_tool)->snapshot()] {
                 for (std::size_t i = 0; i < n; ++i) {
                     static_cast<void>(catalog->find_tool("tool" + std::to_string(i)));
                 }
             };
         },
         2'000},
        {"matching a URI against templates that do not fit",
         [](std::size_t n) {
             return [catalog = store_with(n, &add_template)->snapshot()] {
                 static_cast<void>(catalog->match_template("db://tables/7?columns=a"));
             };
         },
         1'000},
        {"matching a long URI against a template",
         [](std::size_t n) {
             std::string uri = "db://table0/7?columns=a";
             while (uri.size() < n) uri += "&columns=b";
             return [uri, catalog = store_with(1, &add_template)->snapshot()] {
                 static_cast<void>(catalog->match_template(uri));
             };
         }},
        {"keeping reads",
         [](std::size_t n) {
             return [n] {
                 server::ReadCache cache(100'000);
                 auto const result = std::make_shared<ReadResourceResult const>();
                 for (std::size_t i = 0; i < n; ++i) {
                     cache.put("x:" + std::to_string(i), result, TimePoint::max(), cache.mark());
                 }
             };
         },
         5'000},
    };
}

}  // namespace lanyard::growth

// Pages of a list and the opaque cursors between them (MCP specification,
// server/utilities/pagination).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::rpc {

/// Returns a cursor that points past the item with the key `last_key`. `list` is the name of the
/// list.
std::string encode_cursor(std::string_view list, std::string_view last_key);

/// Returns the key in a cursor. Fails with a DecodeError at "/cursor" if encode_cursor() did not
/// create the cursor for this list; the request is then answered with "invalid params". The check
/// only detects mistakes. A client could forge a cursor, but would get only items that it may list
/// anyway.
Result<std::string, DecodeError> decode_cursor(std::string_view list, std::string_view cursor);

/// One page of a list; `items` points to elements of the list.
template <class Item>
struct PageSlice {
    std::vector<Item const*> items;
    std::optional<std::string> next_cursor;  ///< Absent on the last page.
};

/// Returns one page of a list that is sorted by key, with unique keys. A cursor contains a key and
/// not a position. So if items are added, removed or replaced between pages, other items are
/// neither skipped nor repeated, and any replica with the same list can continue. Items for which
/// `visible` returns false are left out and do not count towards `page_size`. A `page_size` of 0
/// puts everything on one page.
template <std::ranges::random_access_range List, class KeyOf, class Visible>
auto page_of(std::string_view name, List const& list, KeyOf key_of, Visible visible,
             std::optional<std::string_view> cursor, std::size_t page_size)
    -> Result<PageSlice<std::ranges::range_value_t<List>>, DecodeError> {
    auto at = std::ranges::begin(list);
    if (cursor) {
        auto last_key = decode_cursor(name, *cursor);
        if (!last_key) return Unexpected(std::move(last_key).error());
        at = std::ranges::upper_bound(
            list, std::string_view(*last_key), {},
            [&](auto const& item) -> std::string_view { return std::invoke(key_of, item); });
    }
    PageSlice<std::ranges::range_value_t<List>> page;
    for (; at != std::ranges::end(list); ++at) {
        if (!std::invoke(visible, *at)) continue;
        if (page_size != 0 && page.items.size() == page_size) {
            page.next_cursor = encode_cursor(name, std::invoke(key_of, *page.items.back()));
            break;
        }
        page.items.push_back(&*at);
    }
    return page;
}

/// Returns one page of a list whose items are all visible.
template <std::ranges::random_access_range List, class KeyOf>
auto page_of(std::string_view name, List const& list, KeyOf key_of,
             std::optional<std::string_view> cursor, std::size_t page_size) {
    return page_of(name, list, key_of, [](auto const&) { return true; }, cursor, page_size);
}

}  // namespace lanyard::rpc

// Provides the lists of a server as Pages.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "client/calls.hpp"
#include "client/on_executor.hpp"
#include "jsonrpc/message_writer.hpp"
#include "lanyard/client/pages.hpp"

namespace lanyard::client {

/// The item type of a list method; Items is the member of the result that holds the items.
template <class M, auto Items>
using ItemOf = typename std::remove_cvref_t<decltype(typename M::Result().*Items)>::value_type;

/// Fetches one page. If the server does not know the cursor, the cached pages belong to an outdated
/// list and are dropped.
template <class M, auto Items>
Task<Page<ItemOf<M, Items>>> fetch_page(std::shared_ptr<ClientSession> session, CallOptions options,
                                        std::optional<Cursor> cursor) {
    bool const first = !cursor;
    PaginatedParams params;
    params.cursor = std::move(cursor);
    std::optional<Error> failure;
    try {
        std::size_t bytes = 0;
        auto listing = call<M>(session, std::move(params), options, std::nullopt, &bytes);
        auto result = co_await std::move(listing);
        Page<ItemOf<M, Items>> page(std::move(result.*Items), std::move(result.next_cursor), bytes);
        co_return page;
    } catch (Error const& error) {
        failure = error;
    }
    if (!first && failure->peer_code() == rpc::code::invalid_params) {
        session->server().cache().invalidate(M::info.name);
    }
    throw *failure;
}

/// Iterates over a list, with the same options for every page.
template <class M, auto Items>
Pages<ItemOf<M, Items>> pages(std::shared_ptr<ClientSession> session, CallOptions const& options) {
    ListLimits const limits{session->options().max_list_entries(),
                            session->options().max_list_bytes()};
    auto fetch = [session = std::move(session), options](std::optional<Cursor> cursor) {
        auto fetching = fetch_page<M, Items>(session, options, std::move(cursor));
        return on_executor(session, std::move(fetching));
    };
    return Pages<ItemOf<M, Items>>(std::move(fetch), limits);
}

}  // namespace lanyard::client

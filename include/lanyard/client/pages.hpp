// Pages: iterates over a list of the server and fetches its pages as they are needed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/protocol/base.hpp>
#include <lanyard/task.hpp>

namespace lanyard {

/// One page of a list.
template <class T>
class Page {
public:
    Page() = default;
    Page(std::vector<T> items, std::optional<Cursor> next, std::size_t bytes = 0)
        : items_(std::move(items)), next_(std::move(next)), bytes_(bytes) {}

    std::vector<T>& items() noexcept { return items_; }
    /// The cursor of the next page; empty on the last page.
    std::optional<Cursor> const& next() const noexcept { return next_; }
    /// The size in bytes of the message that contained the page; 0 if unknown.
    std::size_t bytes() const noexcept { return bytes_; }

private:
    std::vector<T> items_;
    std::optional<Cursor> next_;
    std::size_t bytes_ = 0;
};

/// Limits on the size of a list that Pages::rest() fetches: the number of items, and the total size
/// of the pages in bytes.
struct ListLimits {
    std::size_t entries = 100'000;
    std::size_t bytes = 64 * 1024 * 1024;
};

/// Iterates over the items of a list:
/// `auto tools = client.tools(); while (auto tool = co_await tools.next()) ...`
template <class T>
class Pages {
public:
    using Fetch = std::function<Task<Page<T>>(std::optional<Cursor>)>;

    explicit Pages(Fetch fetch, ListLimits const& limits = {})
        : fetch_(std::move(fetch)), limits_(limits) {}

    /// Returns the next item, or nullopt after the last one. Fetches the next page if all items of
    /// the current page were returned, and throws Error if fetching fails. This object must outlive
    /// the task.
    Task<std::optional<T>> next() {
        while (at_ == page_.items().size() && !ended_) co_await fetch_next();
        std::optional<T> item;
        if (at_ < page_.items().size()) item = std::move(page_.items()[at_++]);
        co_return item;
    }

    /// Returns all remaining items. Throws Error (too_large) if there are more than the limits
    /// allow.
    Task<std::vector<T>> rest() {
        std::vector<T> all;
        std::size_t bytes = at_ == 0 ? page_.bytes() : 0;
        take_page(all);
        while (!ended_) {
            co_await fetch_next();
            bytes += page_.bytes();
            check(all.size() + page_.items().size(), bytes);
            take_page(all);
        }
        co_return all;
    }

private:
    void take_page(std::vector<T>& all) {
        for (; at_ < page_.items().size(); ++at_) all.push_back(std::move(page_.items()[at_]));
    }
    void check(std::size_t entries, std::size_t bytes) const {
        if (entries > limits_.entries) {
            throw Error(Errc::too_large, "the list has more than " +
                                             std::to_string(limits_.entries) +
                                             " entries (max_list_entries)");
        }
        if (bytes > limits_.bytes) {
            throw Error(Errc::too_large, "the list is longer than " +
                                             std::to_string(limits_.bytes) +
                                             " bytes (max_list_bytes)");
        }
    }
    Task<> fetch_next() {
        // Without this limit, a server that always sends another cursor could keep the client busy
        // for ever.
        if (fetched_++ == max_pages) {
            throw Error(Errc::protocol_violation, "the list has more than 10,000 pages");
        }
        auto fetching = fetch_(page_.next());
        auto page = co_await std::move(fetching);
        if (page.next() && page.next() == page_.next()) {
            throw Error(Errc::protocol_violation, "the list repeats a cursor");
        }
        page_ = std::move(page);
        at_ = 0;
        ended_ = !page_.next();
    }

    static constexpr std::size_t max_pages = 10'000;

    Fetch fetch_;
    ListLimits limits_;
    Page<T> page_;
    std::size_t at_ = 0;
    std::size_t fetched_ = 0;
    bool ended_ = false;
};

}  // namespace lanyard

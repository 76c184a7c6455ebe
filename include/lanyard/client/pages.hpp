// Pages: walks through a list of the server, fetching pages as they are needed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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
    Page(std::vector<T> items, std::optional<Cursor> next)
        : items_(std::move(items)), next_(std::move(next)) {}

    std::vector<T>& items() noexcept { return items_; }
    /// Where the next page begins; nothing on the last.
    std::optional<Cursor> const& next() const noexcept { return next_; }

private:
    std::vector<T> items_;
    std::optional<Cursor> next_;
};

/// The items of a list, one after the other:
/// `auto tools = client.tools(); while (auto tool = co_await tools.next()) ...`
template <class T>
class Pages {
public:
    using Fetch = std::function<Task<Page<T>>(std::optional<Cursor>)>;

    explicit Pages(Fetch fetch) : fetch_(std::move(fetch)) {}

    /// The next item, or nothing at the end. Asks the server where the page at hand is used up;
    /// throws Error like the list method. The object must outlive the task.
    Task<std::optional<T>> next() {
        while (at_ == page_.items().size() && !ended_) co_await fetch_next();
        std::optional<T> item;
        if (at_ < page_.items().size()) item = std::move(page_.items()[at_++]);
        co_return item;
    }

    /// All that are left.
    Task<std::vector<T>> rest() {
        std::vector<T> all;
        while (auto item = co_await next()) all.push_back(*std::move(item));
        co_return all;
    }

private:
    Task<> fetch_next() {
        // A server whose cursors never end must not keep its client busy for ever.
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
    Page<T> page_;
    std::size_t at_ = 0;
    std::size_t fetched_ = 0;
    bool ended_ = false;
};

}  // namespace lanyard

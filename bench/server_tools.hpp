// The tools of servers that are measured from another process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "allocation_count.hpp"
#include "lanyard/server.hpp"
#include "samples.hpp"

namespace lanyard::bench {

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, (text, "What to say back"))

struct Add {
    double a = 0;
    double b = 0;
};
LANYARD_STRUCT(Add, a, b)

struct Sum {
    double sum = 0;
};
LANYARD_STRUCT(Sum, sum)

struct Find {
    std::string path;
    int limit = 100;
    bool recursive = false;
};
LANYARD_STRUCT(Find, (path, "Where to look"), (limit, "", min(1), max(100)),
               (recursive, "", defaulted))

struct Count {
    int count = 0;
};
LANYARD_STRUCT(Count, count)

inline void add_plain_tools(Server& server) {
    server.tool("echo", "Says the text back", [](Echo in) { return in.text; });
    server.tool("add", "Adds two numbers", [](Add in) {
        Sum sum;
        sum.sum = in.a + in.b;
        return sum;
    });
    server.tool("progress", "Tells how far it is, then says the text back",
                [](Echo in, Context& context) {
                    context.report_progress(1, 2);
                    return in.text;
                });
    server.tool(
        "allocations", "How often memory was allocated so far",
        [](Echo) { return std::to_string(allocation_count()); }, ToolOptions().inline_());
    server.tool(
        "heap", "Bytes of memory in use", [](Echo) { return std::to_string(mallinfo2().uordblks); },
        ToolOptions().inline_());
}

/// Eighty tools make a list of about 30 KB.
inline void add_many_tools(Server& server, int count = 80, int first = 0) {
    for (int i = first; i < first + count; ++i) {
        auto const number = std::to_string(i);
        server.tool(
            "tool_" + number, "Does one of the many things that a tool can do, in one sentence.",
            [](Find in) { return in.path; },
            ToolOptions().title("Tool number " + number).inline_());
    }
}

inline void add_text_tool(Server& server) {
    static auto const text = prose(1'000'000);
    server.tool("text", "Gives a megabyte of text", [] { return std::string_view(text); });
}

inline void add_blob(Server& server) {
    server.resource("bench://blob", "blob", std::vector<std::byte>(10'000'000, std::byte{0x5a}));
}

/// Under callgrind, dumps the counters since the previous mark under this label, with the
/// allocations since the start (read by tools/callgrind.py). Otherwise does nothing.
inline void mark([[maybe_unused]] std::string const& label) {
#ifdef CALLGRIND_DUMP_STATS_AT
    auto const text = label + ' ' + std::to_string(allocation_count());
    CALLGRIND_DUMP_STATS_AT(text.c_str());
#endif
}

inline void add_mark_tool(Server& server) {
    server.tool(
        "mark", "Marks where counting ends and begins", [](Echo const& in) { mark(in.text); },
        ToolOptions().inline_());
}

/// Calls of one session that wait for each other, so that all of them are under way at the same
/// time.
class Gathering {
public:
    Task<std::string> join(int count) {
        using Timer = boost::asio::steady_timer;
        Timer timer(co_await boost::asio::this_coro::executor, Timer::time_point::max());
        waiting_.push_back(&timer);
        if (waiting_.size() >= static_cast<std::size_t>(count)) {
            for (auto* const each : waiting_) each->expires_at(Timer::time_point::min());
            waiting_.clear();
        }
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        co_return "all are here";
    }

private:
    std::vector<boost::asio::steady_timer*> waiting_;
};

/// The tools for growth curves. Every handler runs inline, however slow callgrind makes it.
inline void add_growth_tools(Server& server) {
    server.tool(
        "echo", "Says the text back", [](Echo in) { return in.text; }, ToolOptions().inline_());
    server.tool(
        "register", "Offers so many more tools",
        [&server, registered = std::make_shared<int>(0)](Count in) {
            add_many_tools(server, in.count, *registered);
            *registered += in.count;
        },
        ToolOptions().inline_());
    server.tool("gather", "Waits until so many calls wait",
                [gathering = std::make_shared<Gathering>()](Count in) {
                    return gathering->join(in.count);
                });
    add_mark_tool(server);
}

}  // namespace lanyard::bench

// The tools of servers that are measured from outside.
#pragma once

#include <string>
#include <string_view>

#include <malloc.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include <lanyard/server.hpp>

#include "allocation_count.hpp"
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
LANYARD_STRUCT(Find, (path, "Where to look"), (limit, "", lanyard::min(1), lanyard::max(100)),
               (recursive, "", lanyard::defaulted))

inline void add_plain_tools(Server& server) {
    server.tool("echo", "Says the text back", [](Echo in) { return in.text; });
    server.tool("add", "Adds two numbers", [](Add in) {
        Sum sum;
        sum.sum = in.a + in.b;
        return sum;
    });
    server.tool(
        "allocations", "How often memory was allocated so far",
        [](Echo) { return std::to_string(allocation_count()); }, ToolOptions().inline_());
    server.tool(
        "heap", "Bytes of memory in use", [](Echo) { return std::to_string(mallinfo2().uordblks); },
        ToolOptions().inline_());
}

/// Eighty make a list of about 30 KB.
inline void add_many_tools(Server& server, int count = 80) {
    for (int i = 0; i < count; ++i) {
        auto const number = std::to_string(i);
        server.tool(
            "tool_" + number,
            "Does one of the many things that a tool can do, and says so in a sentence of "
            "ordinary length.",
            [](Find in) { return in.path; }, ToolOptions().title("Tool number " + number));
    }
}

inline void add_text_tool(Server& server) {
    static auto const text = prose(1'000'000);
    server.tool("text", "Gives a megabyte of text", [] { return std::string_view(text); });
}

/// Under callgrind: writes down what was counted since the mark before, under this label, with the
/// allocations since the start (tools/callgrind.py reads it). Does nothing elsewhere.
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

}  // namespace lanyard::bench

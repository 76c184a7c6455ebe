// Code that the compiler must refuse, with the expected message; refused_test compiles one CASE at
// a time.
#include "lanyard/auth/verifier.hpp"
#include "lanyard/client.hpp"
#if CASE == 8 || CASE == 14
#include "lanyard/server.hpp"
#endif

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct Origin {};

struct Greet {
    std::string name;
#if CASE == 1
    std::vector<std::optional<Origin>> origin;
#endif
};
#if CASE == 1
LANYARD_STRUCT(Greet, name, (origin, "Where from"))
#else
LANYARD_STRUCT(Greet, name)
#endif

// Its members own no memory, so that it can only be written.
struct Shown {
    std::string name;
    std::span<int const> numbers;
};
LANYARD_STRUCT(Shown, name, numbers)

lanyard::Task<> calls(lanyard::Client client) {
    Greet const greet{"a name that is too long to be kept inside the string"};
    lanyard::CallToolParams const call{.name = "greet"};
    lanyard::Root const root{.uri = "file:///home"};
#if CASE == 0
    // All of these calls compile.
    co_await client.call_tool("add", lanyard::arguments("a", 40, "b", 2));
    co_await client.call_tool("add", {{"a", 40}, {"b", "two"}});
    co_await client.call_tool("add", {{"a", std::vector<int>()}});
    co_await client.call_tool("add", {});
    co_await client.call_tool("add");
    co_await client.call_tool("greet", lanyard::to_raw_json(greet));
    co_await client.call<int>("add", lanyard::arguments("a", 40, "b", 2));
    co_await client.call<int>("add", {{"a", 40}, {"b", 2}});
    co_await client.call<std::string>("greet", greet);
    co_await client.get_prompt("p", {{"k", "v"}});
    co_await client.get_prompt("p", lanyard::arguments("k", "v"));
    co_await client.call_all({call, call});
    co_await client.set_roots({root});
    co_await client.set_roots({});
    lanyard::bearer_tokens({lanyard::BearerToken("s3cret").subject("ada")});
    // Trees that are not written in braces inside the co_await expression.
    lanyard::Json const tree{{"a", 40}, {"b", 2}};
    co_await client.call_tool("add", tree);
    co_await client.call_tool("add", lanyard::RawJson(tree));
    co_await client.request("tools/call", lanyard::RawJson(tree));
    // Types that can only be written.
    Shown const shown;
    lanyard::to_json_text(shown);
    lanyard::to_json_text(std::vector<std::string_view>());
#elif CASE == 1
    lanyard::to_json_text(greet);
    co_return;
#elif CASE == 2
    co_await client.call_tool("greet",
                              lanyard::to_raw_json(Greet{"a temporary that is freed twice"}));
#elif CASE == 3
    co_await client.call_tool("add", lanyard::JsonObject{{"a", 40}, {"b", 2}});
#elif CASE == 4
    co_await client.set_roots({lanyard::Root{.uri = "file:///a-temporary-that-is-freed-twice"}});
#elif CASE == 5
    co_await client.call<std::string>("greet", Greet{"a temporary that is freed twice"});
#elif CASE == 7
    co_await client.call_tool("a",
                              lanyard::arguments("g", Greet{"a temporary that is freed twice"}));
#elif CASE == 6
    lanyard::to_json_text(Origin());
    co_return;
#elif CASE == 8
    lanyard::Server server("s", "1");
    server.tool("name", "description", lanyard::ToolOptions());
    co_return;
#elif CASE == 9
    lanyard::bearer_tokens({{"s3cret", "ada"}});
    co_return;
#elif CASE == 10
    co_await client.request("tools/call", lanyard::RawJson(lanyard::Json{{"a", 40}, {"b", 2}}));
#elif CASE == 11
    co_await client.call_tool("add", lanyard::Json{{"a", 40}, {"b", 2}});
#elif CASE == 12
    lanyard::decode_text<std::vector<std::string_view>>("[]");
    co_return;
#elif CASE == 13
    co_await client.call<Shown>("show");
#elif CASE == 14
    lanyard::Server server("s", "1");
    server.tool("sum", "description", [](Shown in) { return in.numbers.size(); });
    co_return;
#endif
}

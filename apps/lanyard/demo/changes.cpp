// Tools that change lists and a resource, so that clients can watch the changes.
#include "lanyard/reflect.hpp"

#include <atomic>
#include <memory>
#include <string>

#include "demo/demo.hpp"

namespace lanyard::app::demo {

struct Extras {
    bool on = true;
};
LANYARD_STRUCT(Extras, (on, "Whether there shall be a tool, a prompt and a resource more"))

struct Increment {
    int by = 1;
};
LANYARD_STRUCT(Increment, (by, "How much to add", defaulted))

struct Counter {
    int value = 0;
};
LANYARD_STRUCT(Counter, (value, "How often it was counted"))

namespace {

constexpr char const* counter_uri = "demo://counter";

std::string set_extras(Server& server, bool on) {
    if (on) {
        server.tool("extra", "A tool that comes and goes", [] { return "still here"; });
        server.prompt("extra", "A prompt that comes and goes", [] { return "Still here?"; });
        server.resource("demo://extra", "extra", "still here");
    } else {
        server.remove_tool("extra");
        server.remove_prompt("extra");
        server.remove_resource("demo://extra");
    }
    return on ? "the extras are there" : "the extras are gone";
}

}  // namespace

void add_changes(Server& server) {
    // Handlers may refer to the server, because it outlives them.
    server.tool("set_extras", "Add a tool, a prompt and a resource, or take them away",
                [&server](Extras in) { return set_extras(server, in.on); });
    auto count = std::make_shared<std::atomic<int>>(0);
    server.resource(counter_uri, "counter",
                    ResourceOptions().description("Counts calls of the tool increment"),
                    [count] { return Counter{count->load()}; });
    server.tool("increment", "Change the resource demo://counter", [&server, count](Increment in) {
        *count += in.by;
        server.resource_updated(counter_uri);
        return Counter{count->load()};
    });
}

}  // namespace lanyard::app::demo

// Tools that fail, one for each way to fail.
#include "lanyard/reflect.hpp"
#include "lanyard/time_source.hpp"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

#include "demo/demo.hpp"

namespace lanyard::app::demo {

enum class Way { tool_error, refusal, exception, not_an_exception };
LANYARD_ENUM(Way, (tool_error, "An error for the model"), (refusal, "A refusal for the host"),
             (exception, "An unexpected exception"), (not_an_exception, "Thrown all the same"))

struct Fail {
    Way way = Way::tool_error;
};
LANYARD_STRUCT(Fail, (way, "How to fail", defaulted))

namespace {

std::string fail(Fail in) {
    switch (in.way) {
        case Way::tool_error:
            throw ToolError("this tool always fails; call echo instead");
        case Way::refusal:
            throw Refusal(RefusalReason::content_policy, "this is not talked about");
        case Way::exception:
            throw std::runtime_error("secret detail");
        case Way::not_an_exception:
            throw 42;
    }
    return {};
}

Task<std::string> too_slow() {
    co_await sleep_for(std::chrono::minutes(10));
    co_return "this is never reached";
}

}  // namespace

void add_failures(Server& server) {
    server.tool("fail", "Fail in one of several ways", fail);
    server.tool("too_slow", "Take longer than the server allows", too_slow,
                ToolOptions().timeout(std::chrono::milliseconds(100)));
    server.tool("too_much", "Return more than the server allows",
                ToolOptions().max_result_bytes(5'000), [] { return std::string(10'000, 'x'); });
    server.tool("print", "Print to stdout, which must not disturb the protocol", [] {
        std::cout << "this line does not belong here" << std::endl;
        return "printed";
    });
}

}  // namespace lanyard::app::demo

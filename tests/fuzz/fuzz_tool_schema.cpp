// Any JSON value as the input schema of a tool: the program reads it in bounded time, converts
// arguments by it, and prints no control sequences for terminals.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "failure.hpp"
#include "lanyard/json.hpp"
#include "show.hpp"
#include "terminal.hpp"
#include "tool_schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace lanyard;
    std::string text(reinterpret_cast<char const*>(data), size);
    if (!json::parse(text)) return 0;
    Tool tool;
    tool.name = "tool";
    tool.input_schema = RawJson::trusted(text);

    auto const shown = app::signature(tool.input_schema);
    if (shown != app::without_control_characters(shown)) __builtin_trap();

    app::ToolSchema const schema(tool.input_schema);
    std::vector<std::string> words{"a=1", "x=true"};
    for (auto const& name : schema.names()) {
        static_cast<void>(schema.default_of(name));
        // Words with these characters would name files.
        bool const plain = !name.empty() && name.find_first_of("@{-=") == std::string::npos;
        if (words.size() < 16 && plain) words.push_back(name + "=1");
    }
    for (bool const check : {true, false}) {
        std::istringstream in;
        try {
            static_cast<void>(app::CommandLine::parse(words, in).for_tool(tool, check));
        } catch (app::Failure const&) {
            // The arguments do not fit the schema: the program reports that to the user.
            continue;
        }
    }
    return 0;
}

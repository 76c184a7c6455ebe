// Calls the tools of a program of docs/cookbook.md and compares their results:
//
//     cookbook_check TOOL ARGUMENTS RESULT [TOOL ARGUMENTS RESULT]... -- PROGRAM [ARGUMENT]...
//
// RESULT is a part of the text that the tool returns, or `*` for any result that is not an error.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <lanyard/client.hpp>
#include <lanyard/json.hpp>

int main(int argc, char** argv) {
    std::vector<std::string> const words(argv + 1, argv + argc);
    auto const end = std::find(words.begin(), words.end(), "--");
    auto const client = lanyard::blocking::connect(lanyard::child_process(
        lanyard::ChildProcessOptions(std::vector<std::string>(std::next(end), words.end()))));
    for (auto at = words.begin(); at != end; at += 3) {
        auto const arguments = lanyard::json::parse(at[1]).value();
        auto const result = client.call_tool(at[0], arguments);
        auto const text = lanyard::text_of(result);
        std::cout << at[0] << ": " << text << '\n';
        if (at[2] == "*" ? result.is_error : text.find(at[2]) == std::string::npos) {
            std::cerr << "expected: " << at[2] << '\n';
            return 1;
        }
    }
    return 0;
}

// MirroredArguments: the tool arguments that a client sends not only in the body, but also as
// headers. The `x-mcp-header` annotations of the tools select these arguments (MCP specification,
// basic/transports/streamable-http, "Custom headers").
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lanyard/json/document.hpp"
#include "wire/mcp_headers.hpp"

namespace lanyard::http {

/// Not thread-safe.
class MirroredArguments {
public:
    /// The maximum total size of the names and input schemas of the stored tools. If storing
    /// another tool would exceed this size, all stored tools are dropped first. If a dropped tool
    /// is called, the server refuses the call because of the missing headers, and the client lists
    /// the tools again.
    static constexpr std::size_t max_bytes = 16 * 1024 * 1024;

    /// Stores the tools of a `tools/list` result that have mirrored arguments. Replaces stored
    /// tools with the same names.
    void learn(json::View result);
    std::size_t bytes() const noexcept { return bytes_; }

    /// Whether any argument of the tool is mirrored.
    bool knows(std::string_view tool) const {
        return !tools_.empty() && tools_.contains(std::string(tool));
    }
    /// Appends a header line for each mirrored argument of a call of the tool.
    void append_lines(std::string& out, std::string const& tool,
                      std::optional<json::View> arguments) const;

private:
    struct Entry {
        std::vector<wire::ParamHeader> headers;
        std::size_t bytes;
    };

    std::unordered_map<std::string, Entry> tools_;
    std::size_t bytes_ = 0;
};

}  // namespace lanyard::http

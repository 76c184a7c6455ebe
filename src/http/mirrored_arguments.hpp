// Which arguments of which tools a client sends as headers, too: the `x-mcp-header` annotations of
// the tools it has seen listed (basic/transports/streamable-http, "Custom headers").
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
    /// The names and input schemas of the tools with such annotations, all together; beyond that
    /// all tools are dropped. A call of one of them is then refused by the server, upon which the
    /// client lists the tools again.
    static constexpr std::size_t max_bytes = 16 * 1024 * 1024;

    /// Takes the tools of a `tools/list` result; what was known of them is replaced.
    void learn(json::View result);
    std::size_t bytes() const noexcept { return bytes_; }

    /// Appends a header line for each argument that the tool wants mirrored.
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

// Which arguments of which tools a client sends as headers, too: the `x-mcp-header` annotations of
// the tools it has seen listed (basic/transports/streamable-http, "Custom headers").
#pragma once

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
    /// Takes the tools of a `tools/list` result; what was known of them is replaced.
    void learn(json::View result);

    /// Appends a header line for each argument that the tool wants mirrored.
    void append_lines(std::string& out, std::string const& tool,
                      std::optional<json::View> arguments) const;

private:
    std::unordered_map<std::string, std::vector<wire::ParamHeader>> tools_;
};

}  // namespace lanyard::http

// The output schemas of listed tools, compiled on first use (MCP specification, server/tools
// "Output Schema").
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lanyard/error.hpp"
#include "lanyard/json/raw_json.hpp"
#include "lanyard/protocol/tool.hpp"
#include "lanyard/schema.hpp"

namespace lanyard::client {

/// Not thread-safe.
class OutputSchemas {
public:
    /// The limit for all names and schemas together, in bytes. When it is exceeded, all schemas are
    /// dropped, and results are not checked until the tools are listed again.
    static constexpr std::size_t max_bytes = 16 * 1024 * 1024;

    /// Stores the output schema of a tool. If the tool has none, removes a schema that was stored
    /// earlier.
    void learn(Tool const& tool);
    void forget_all() {
        tools_.clear();
        bytes_ = 0;
    }
    std::size_t bytes() const noexcept { return bytes_; }

    /// Checks a tool's result against its schema. Fails with protocol_violation if the result
    /// violates the schema. Succeeds for unknown tools and for tools whose schema does not compile.
    Result<void> check(std::string_view tool, json::View result);

private:
    struct Entry {
        RawJson schema;
        std::optional<Result<schema::Validator, schema::SchemaError>> compiled{};
    };

    std::unordered_map<std::string, Entry> tools_;
    std::size_t bytes_ = 0;
};

}  // namespace lanyard::client

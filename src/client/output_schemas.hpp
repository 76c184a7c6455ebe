// Output schemas of the tools seen in lists, compiled when they are needed first (server/tools
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
    /// All names and schemas together; beyond that all are dropped, and results are not checked
    /// until the tools are listed again.
    static constexpr std::size_t max_bytes = 16 * 1024 * 1024;

    /// Notes the schema of a tool, or that it has none.
    void learn(Tool const& tool);
    void forget_all() {
        tools_.clear();
        bytes_ = 0;
    }
    std::size_t bytes() const noexcept { return bytes_; }

    /// Whether a tool's result is what its schema promises. Fails with protocol_violation. Passes
    /// for tools that are not known or whose schema does not compile.
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

#include "client/session/output_schemas.hpp"

namespace lanyard::client {

namespace {

std::size_t cost(std::string_view name, RawJson const& schema) noexcept {
    constexpr std::size_t bookkeeping = 128;
    return name.size() + schema.text().size() + bookkeeping;
}

}  // namespace

void OutputSchemas::learn(Tool const& tool) {
    auto const known = tools_.find(tool.name);
    if (known != tools_.end()) {
        // If the schema is unchanged, it need not be compiled again.
        if (known->second.schema == tool.output_schema) return;
        bytes_ -= cost(tool.name, known->second.schema);
        tools_.erase(known);
    }
    if (tool.output_schema.empty()) return;
    auto const bytes = cost(tool.name, tool.output_schema);
    if (bytes_ + bytes > max_bytes) forget_all();
    if (bytes > max_bytes) return;
    tools_.emplace(tool.name, Entry{tool.output_schema});
    bytes_ += bytes;
}

Result<void> OutputSchemas::check(std::string_view tool, json::View result) {
    auto const known = tools_.find(std::string(tool));
    if (known == tools_.end()) return {};
    if (auto const failed = result.find("isError"); failed && failed->as_bool().value_or(false)) {
        return {};
    }
    auto& entry = known->second;
    if (!entry.compiled) entry.compiled = schema::Validator::compile(entry.schema.to_json());
    if (!*entry.compiled) return {};
    auto const wrong = [tool](std::string const& why) {
        return Unexpected(
            Error(Errc::protocol_violation,
                  "the tool \"" + std::string(tool) + "\" broke its output schema: " + why));
    };
    auto const structured = result.find("structuredContent");
    if (!structured) return wrong("its result has no structured content");
    auto const valid = (*entry.compiled)->validate(*structured);
    if (!valid) return wrong(valid.error().to_string());
    return {};
}

}  // namespace lanyard::client

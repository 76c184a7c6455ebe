#include "client/output_schemas.hpp"

namespace lanyard::client {

void OutputSchemas::learn(Tool const& tool) {
    auto const known = tools_.find(tool.name);
    if (tool.output_schema.empty()) {
        if (known != tools_.end()) tools_.erase(known);
        return;
    }
    // Listing the same tools again costs no compilation.
    if (known != tools_.end() && known->second.schema == tool.output_schema) return;
    tools_.insert_or_assign(tool.name, Entry{tool.output_schema});
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

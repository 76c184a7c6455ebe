#include "http/client/mirrored_arguments.hpp"

#include "http/message/fields.hpp"

namespace lanyard::http {

void MirroredArguments::learn(json::View result) {
    auto const tools = result.find("tools");
    if (!tools) return;
    for (auto const tool : tools->elements()) {
        auto const name = tool.find("name");
        auto const schema = tool.find("inputSchema");
        auto key = name ? name->as_string() : std::nullopt;
        if (!key || !schema) continue;
        // Tools with invalid annotations are skipped. They are never called, because the client
        // does not list them to its user.
        auto headers = wire::param_headers(*schema);
        if (auto const known = tools_.find(*key); known != tools_.end()) {
            bytes_ -= known->second.bytes;
            tools_.erase(known);
        }
        if (!headers || headers->empty()) continue;
        auto const bytes = key->size() + schema->raw().size();
        if (bytes_ + bytes > max_bytes) {
            tools_.clear();
            bytes_ = 0;
        }
        if (bytes > max_bytes) continue;
        tools_.emplace(*std::move(key), Entry{*std::move(headers), bytes});
        bytes_ += bytes;
    }
}

void MirroredArguments::append_lines(std::string& out, std::string const& tool,
                                     std::optional<json::View> arguments) const {
    auto const found = tools_.find(tool);
    if (found == tools_.end()) return;
    for (auto const& header : found->second.headers) {
        auto const value = wire::param_header_value(header, arguments);
        if (!value) continue;
        append_header(out, std::string(wire::param_header_prefix) + header.name, *value);
    }
}

}  // namespace lanyard::http

// `_meta` accessors and the grammar of its keys (MCP specification, basic/index, "_meta").
#include "lanyard/protocol/meta.hpp"

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"

namespace lanyard {
namespace {

bool is_label(std::string_view label) noexcept {
    return !label.empty() && ascii::is_letter(label.front()) &&
           ascii::is_alphanumeric(label.back()) &&
           std::ranges::all_of(label, [](char c) { return ascii::is_alphanumeric(c) || c == '-'; });
}

bool is_name(std::string_view name) noexcept {
    return name.empty() ||
           (ascii::is_alphanumeric(name.front()) && ascii::is_alphanumeric(name.back()) &&
            std::ranges::all_of(name, [](char c) {
                return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
            }));
}

bool is_protocol_label(std::string_view label) noexcept {
    return label == "modelcontextprotocol" || label == "mcp";
}

// Calls use(label, index) for each label of a prefix, until a call returns false. Returns whether
// all calls returned true.
template <class Use>
bool every_label(std::string_view prefix, Use use) {
    for (std::size_t index = 0;; ++index) {
        auto const dot = prefix.find('.');
        if (!use(prefix.substr(0, dot), index)) return false;
        if (dot == std::string_view::npos) return true;
        prefix.remove_prefix(dot + 1);
    }
}

bool is_lower_hex(std::string_view text) noexcept {
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string_view string_member(JsonObject const& members, std::string_view key) noexcept {
    auto const* value = members.if_contains(key);
    auto const* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string_view(*text) : std::string_view();
}

void set_string_member(JsonObject& members, std::string_view key, std::string_view value) {
    if (value.empty()) {
        members.erase(key);
    } else {
        members[key] = value;
    }
}

}  // namespace

std::optional<ProgressToken> Meta::progress_token() const {
    auto const* value = members_.if_contains(meta_key::progress_token);
    if (value == nullptr) return std::nullopt;
    if (auto const* text = value->if_string()) {
        return ProgressToken(std::string(text->data(), text->size()));
    }
    if (auto const* number = value->if_int64()) return ProgressToken(*number);
    return std::nullopt;
}

void Meta::set_progress_token(ProgressToken const& token) {
    if (auto const* number = token.integer()) {
        members_[meta_key::progress_token] = *number;
    } else {
        members_[meta_key::progress_token] = *token.string();
    }
}

std::optional<TraceContext> Meta::trace_context() const {
    auto const traceparent = string_member(members_, meta_key::traceparent);
    if (!is_valid_traceparent(traceparent)) return std::nullopt;
    return TraceContext{
        .traceparent = std::string(traceparent),
        .tracestate = std::string(string_member(members_, meta_key::tracestate)),
        .baggage = std::string(string_member(members_, meta_key::baggage)),
    };
}

void Meta::set_trace_context(TraceContext const& context) {
    set_string_member(members_, meta_key::traceparent, context.traceparent);
    set_string_member(members_, meta_key::tracestate, context.tracestate);
    set_string_member(members_, meta_key::baggage, context.baggage);
}

std::optional<std::string> Meta::related_task() const {
    auto const* value = members_.if_contains(meta_key::related_task);
    auto const* task = value != nullptr ? value->if_object() : nullptr;
    auto const* id = task != nullptr ? task->if_contains("taskId") : nullptr;
    auto const* text = id != nullptr ? id->if_string() : nullptr;
    if (text == nullptr) return std::nullopt;
    return std::string(text->data(), text->size());
}

void Meta::set_related_task(std::string_view task_id) {
    members_[meta_key::related_task] = JsonObject{{"taskId", task_id}};
}

bool is_valid_meta_key(std::string_view key) noexcept {
    auto const slash = key.find('/');
    if (slash == std::string_view::npos) return is_name(key);
    return every_label(key.substr(0, slash),
                       [](std::string_view label, std::size_t) { return is_label(label); }) &&
           is_name(key.substr(slash + 1));
}

bool is_reserved_meta_key(std::string_view key, Version version) noexcept {
    auto const slash = key.find('/');
    if (slash == std::string_view::npos || version < Version::v2025_06_18) return false;
    auto const prefix = key.substr(0, slash);
    if (version >= Version::v2025_11_25) {
        return !every_label(prefix, [](std::string_view label, std::size_t index) {
            return index != 1 || !is_protocol_label(label);
        });
    }
    // In protocol revision 2025-06-18, a prefix is reserved if its second-to-last label is `mcp` or
    // `modelcontextprotocol`.
    bool previous_is_protocol = false;
    bool reserved = false;
    every_label(prefix, [&](std::string_view label, std::size_t) {
        reserved = previous_is_protocol;
        previous_is_protocol = is_protocol_label(label);
        return true;
    });
    return reserved;
}

bool is_valid_traceparent(std::string_view value) noexcept {
    constexpr std::string_view zeros = "00000000000000000000000000000000";
    constexpr std::size_t shortest = 55;
    if (value.size() < shortest || value[2] != '-' || value[35] != '-' || value[52] != '-') {
        return false;
    }
    auto const version = value.substr(0, 2);
    auto const trace = value.substr(3, 32);
    auto const parent = value.substr(36, 16);
    // `version` is the version of the traceparent format. In version 00, the value has exactly
    // `shortest` characters. Later versions may append fields after a '-', and version ff is
    // forbidden.
    if (version == "00" ? value.size() != shortest
                        : value.size() > shortest && value[shortest] != '-') {
        return false;
    }
    return version != "ff" && is_lower_hex(version) && is_lower_hex(trace) &&
           is_lower_hex(parent) && is_lower_hex(value.substr(53, 2)) && trace != zeros &&
           parent != zeros.substr(0, 16);
}

}  // namespace lanyard

// `_meta`: open metadata on requests, notifications, results and most types (MCP specification,
// basic/index, "_meta").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <lanyard/json/document.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/rpc/request_id.hpp>

namespace lanyard {

/// The W3C trace context as it is carried in `_meta`. If a member is empty, `_meta` does not
/// contain it.
struct TraceContext {
    std::string traceparent{};
    std::string tracestate{};
    std::string baggage{};

    bool operator==(TraceContext const&) const = default;
};

/// Keys of `_meta` that the protocol itself defines.
namespace meta_key {
inline constexpr std::string_view progress_token = "progressToken";
inline constexpr std::string_view traceparent = "traceparent";
inline constexpr std::string_view tracestate = "tracestate";
inline constexpr std::string_view baggage = "baggage";
inline constexpr std::string_view related_task = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view model_immediate_response =
    "io.modelcontextprotocol/model-immediate-response";
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_capabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta_key

/// A `_meta` object: any members, with accessors for those that the protocol defines. In protocol
/// revision 2026-07-28, `_meta` also carries the protocol version, the capabilities and the
/// identity of client and server. A Meta object never contains those members.
class Meta {
public:
    Meta() = default;
    explicit Meta(JsonObject members) : members_(std::move(members)) {}

    bool empty() const noexcept { return members_.empty(); }
    JsonObject const& members() const noexcept { return members_; }
    JsonObject& members() noexcept { return members_; }

    /// The token that progress notifications of this request refer to.
    std::optional<ProgressToken> progress_token() const;
    void set_progress_token(ProgressToken const& token);

    /// The trace context; nullopt if `traceparent` is missing or malformed.
    std::optional<TraceContext> trace_context() const;
    /// Writes the non-empty members of the context to `_meta`. Members that are empty in the
    /// context are removed from `_meta`.
    void set_trace_context(TraceContext const& context);

    /// The id of the task that this message belongs to (only in protocol revision 2025-11-25).
    std::optional<std::string> related_task() const;
    void set_related_task(std::string_view task_id);

    bool operator==(Meta const&) const = default;

private:
    JsonObject members_;
};

/// Whether the key has the form that `_meta` requires: an optional prefix of dot-separated labels
/// and a slash, then a name that is empty or starts and ends with an alphanumeric character.
bool is_valid_meta_key(std::string_view key) noexcept;

/// Whether the key's prefix is reserved for the protocol in this revision.
bool is_reserved_meta_key(std::string_view key, Version version) noexcept;

/// Whether this is a W3C `traceparent` value.
bool is_valid_traceparent(std::string_view value) noexcept;

}  // namespace lanyard

#include "lanyard/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lanyard {

namespace {

struct CodeInfo {
    Errc code;
    char const* name;
    char const* text;
    ErrorKind kind;
    Advice advice;
};

// One row per code, in the order of the enumeration.
constexpr std::array code_table{
    CodeInfo{Errc::closed, "closed", "closed", ErrorKind::transport, Advice::reconnect},
    CodeInfo{Errc::transport_down, "transport_down", "transport down", ErrorKind::transport,
             Advice::reconnect},
    CodeInfo{Errc::unavailable, "unavailable", "unavailable", ErrorKind::transport,
             Advice::reconnect},
    CodeInfo{Errc::timeout, "timeout", "timeout", ErrorKind::timeout, Advice::retry},
    CodeInfo{Errc::cancelled, "cancelled", "cancelled", ErrorKind::state, Advice::ignore},
    CodeInfo{Errc::unsupported_in_era, "unsupported_in_era",
             "not supported by the protocol version", ErrorKind::capability, Advice::abort},
    CodeInfo{Errc::not_initialized, "not_initialized", "not initialized", ErrorKind::state,
             Advice::reconnect},
    CodeInfo{Errc::capability_missing, "capability_missing", "capability missing",
             ErrorKind::capability, Advice::abort},
    CodeInfo{Errc::busy, "busy", "busy", ErrorKind::transport, Advice::retry},
    CodeInfo{Errc::too_large, "too_large", "too large", ErrorKind::protocol, Advice::abort},
    CodeInfo{Errc::unauthorized, "unauthorized", "unauthorized", ErrorKind::transport,
             Advice::abort},
    CodeInfo{Errc::shutdown, "shutdown", "shutdown", ErrorKind::shutdown, Advice::abort},
    CodeInfo{Errc::failed, "failed", "failed", ErrorKind::transport, Advice::abort},
    CodeInfo{Errc::protocol_violation, "protocol_violation", "protocol violation",
             ErrorKind::protocol, Advice::abort},
    CodeInfo{Errc::invalid_argument, "invalid_argument", "invalid argument", ErrorKind::state,
             Advice::abort},
    CodeInfo{Errc::invalid_phase, "invalid_phase", "not allowed in this phase", ErrorKind::state,
             Advice::abort},
    CodeInfo{Errc::version_mismatch, "version_mismatch", "no common protocol version",
             ErrorKind::protocol, Advice::abort},
    CodeInfo{Errc::rate_limited, "rate_limited", "rate limited", ErrorKind::state, Advice::retry},
    CodeInfo{Errc::too_many_pending, "too_many_pending", "too many pending requests",
             ErrorKind::state, Advice::retry},
};

struct ToolErrorInfo {
    ToolErrorKind kind;
    char const* name;
    Advice advice;
};

// One row per kind, in the order of the enumeration.
constexpr std::array tool_error_table{
    ToolErrorInfo{ToolErrorKind::failed, "failed", Advice::abort},
    ToolErrorInfo{ToolErrorKind::timeout, "timeout", Advice::retry},
    ToolErrorInfo{ToolErrorKind::cancelled, "cancelled", Advice::ignore},
    ToolErrorInfo{ToolErrorKind::invalid_arguments, "invalid_arguments", Advice::abort},
    ToolErrorInfo{ToolErrorKind::disabled, "disabled", Advice::abort},
    ToolErrorInfo{ToolErrorKind::result_too_large, "result_too_large", Advice::abort},
    ToolErrorInfo{ToolErrorKind::not_allowed, "not_allowed", Advice::abort},
    ToolErrorInfo{ToolErrorKind::too_many_concurrent, "too_many_concurrent", Advice::retry},
    ToolErrorInfo{ToolErrorKind::dependency_failed, "dependency_failed", Advice::abort},
    ToolErrorInfo{ToolErrorKind::schema_invalid, "schema_invalid", Advice::abort},
};

struct RefusalInfo {
    RefusalReason reason;
    char const* name;
    Advice advice;
};

// One row per reason, in the order of the enumeration.
constexpr std::array refusal_table{
    RefusalInfo{RefusalReason::content_policy, "content_policy", Advice::abort},
    RefusalInfo{RefusalReason::safety, "safety", Advice::abort},
    RefusalInfo{RefusalReason::rate_limit, "rate_limit", Advice::retry},
    RefusalInfo{RefusalReason::resource_limits, "resource_limits", Advice::abort},
    RefusalInfo{RefusalReason::permission, "permission", Advice::abort},
    RefusalInfo{RefusalReason::invalid_input, "invalid_input", Advice::abort},
    RefusalInfo{RefusalReason::unsupported, "unsupported", Advice::abort},
    RefusalInfo{RefusalReason::temporarily_unavailable, "temporarily_unavailable", Advice::retry},
    RefusalInfo{RefusalReason::dependency, "dependency", Advice::abort},
    RefusalInfo{RefusalReason::custom, "custom", Advice::abort},
};

constexpr int first_refusal = static_cast<int>(RefusalReason::content_policy);

// Rows are looked up by position, so the enumerator in each row must match the row's index.
template <class Table, class Key>
constexpr bool in_order(Table const& table, Key key, int first) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<int>(table[i].*key) != first + static_cast<int>(i)) return false;
    }
    return true;
}
static_assert(in_order(code_table, &CodeInfo::code, 1));
static_assert(code_table.back().code == Errc::too_many_pending);
static_assert(in_order(tool_error_table, &ToolErrorInfo::kind, 0));
static_assert(tool_error_table.back().kind == ToolErrorKind::schema_invalid);
static_assert(in_order(refusal_table, &RefusalInfo::reason, first_refusal));
static_assert(refusal_table.back().reason == RefusalReason::custom);

template <auto const& table, auto key>
constexpr auto column() {
    using Value = std::remove_cvref_t<decltype(table[0].*key)>;
    std::array<Value, table.size()> values{};
    for (std::size_t i = 0; i < table.size(); ++i) values[i] = table[i].*key;
    return values;
}

constexpr CodeInfo const& info_of(Errc code) noexcept {
    return code_table[static_cast<std::size_t>(code) - 1];
}

class LanyardCategory final : public std::error_category {
public:
    char const* name() const noexcept override { return "lanyard"; }
    std::string message(int value) const override {
        bool const known = value >= 1 && static_cast<std::size_t>(value) <= code_table.size();
        if (known) return info_of(static_cast<Errc>(value)).text;
        return "unknown error " + std::to_string(value);
    }
};

constinit LanyardCategory const the_lanyard_category;

class RpcCategory final : public std::error_category {
public:
    char const* name() const noexcept override { return "lanyard.rpc"; }
    std::string message(int value) const override {
        return "JSON-RPC error " + std::to_string(value);
    }
};

constinit RpcCategory const the_rpc_category;

}  // namespace

std::string DecodeError::to_string() const {
    if (pointer.empty()) return message;
    return pointer + ": " + message;
}

std::string_view to_string(Errc code) noexcept {
    return info_of(code).name;
}

std::span<Errc const> all_errcs() noexcept {
    static constexpr auto codes = column<code_table, &CodeInfo::code>();
    return codes;
}

std::error_category const& lanyard_category() noexcept {
    return the_lanyard_category;
}

std::error_category const& rpc_category() noexcept {
    return the_rpc_category;
}

std::error_code make_error_code(Errc code) noexcept {
    return {static_cast<int>(code), lanyard_category()};
}

std::string_view to_string(Advice advice) noexcept {
    constexpr std::array<std::string_view, 4> names{"retry", "reconnect", "abort", "ignore"};
    return names[static_cast<std::size_t>(advice)];
}

std::string_view to_string(ErrorKind kind) noexcept {
    constexpr std::array<std::string_view, 7> names{"transport", "protocol", "jsonrpc",   "state",
                                                    "timeout",   "shutdown", "capability"};
    return names[static_cast<std::size_t>(kind)];
}

struct Error::State {
    std::error_code code;
    std::optional<std::int64_t> peer_code;
    std::string message;
    std::string data;
    std::string what;
    ErrorKind kind;
    Advice advice;
};

Error::Error(Errc code, std::string message, std::string data) {
    auto const& info = info_of(code);
    auto what = std::string(info.text) + ": " + message;
    state_ = std::make_shared<State const>(State{make_error_code(code), std::nullopt,
                                                 std::move(message), std::move(data),
                                                 std::move(what), info.kind, info.advice});
}

Error Error::from_peer(std::int64_t code, std::string message, std::string data, ErrorKind kind,
                       Advice advice) {
    // An error_code stores an int, but the peer may have sent a larger number. The exact number is
    // stored separately.
    auto const nearest = static_cast<int>(std::clamp<std::int64_t>(code, INT32_MIN, INT32_MAX));
    auto what = "JSON-RPC error " + std::to_string(code) + ": " + message;
    return Error(std::make_shared<State const>(State{std::error_code(nearest, rpc_category()), code,
                                                     std::move(message), std::move(data),
                                                     std::move(what), kind, advice}));
}

std::error_code Error::code() const noexcept {
    return state_->code;
}
std::optional<std::int64_t> Error::peer_code() const noexcept {
    return state_->peer_code;
}
std::string const& Error::message() const noexcept {
    return state_->message;
}
std::string const& Error::data() const noexcept {
    return state_->data;
}
char const* Error::what() const noexcept {
    return state_->what.c_str();
}
ErrorKind Error::kind() const noexcept {
    return state_->kind;
}
Advice Error::advice() const noexcept {
    return state_->advice;
}

std::string_view to_string(ToolErrorKind kind) noexcept {
    return tool_error_table[static_cast<std::size_t>(kind)].name;
}

Advice advice_for(ToolErrorKind kind) noexcept {
    return tool_error_table[static_cast<std::size_t>(kind)].advice;
}

std::span<ToolErrorKind const> all_tool_error_kinds() noexcept {
    static constexpr auto kinds = column<tool_error_table, &ToolErrorInfo::kind>();
    return kinds;
}

std::string_view to_string(RefusalReason reason) noexcept {
    return refusal_table[static_cast<std::size_t>(static_cast<int>(reason) - first_refusal)].name;
}

std::span<RefusalReason const> all_refusal_reasons() noexcept {
    static constexpr auto reasons = column<refusal_table, &RefusalInfo::reason>();
    return reasons;
}

std::optional<Advice> refusal_advice(std::int64_t code) noexcept {
    if (code < first_refusal || code > Refusal::last_application_code) return std::nullopt;
    auto const row = static_cast<std::size_t>(code - first_refusal);
    return row < refusal_table.size() ? refusal_table[row].advice : Advice::abort;
}

Refusal Refusal::application(int code, std::string const& text, std::string data) {
    if (code < first_application_code || code > last_application_code) {
        throw Error(Errc::invalid_argument,
                    "an application's refusal code is 1011 to 1089, got " + std::to_string(code));
    }
    return Refusal(code, text, std::move(data), Checked{});
}

Advice Refusal::advice() const noexcept {
    return refusal_advice(code_).value_or(Advice::abort);
}

}  // namespace lanyard

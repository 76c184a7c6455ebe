#include "lanyard/error.hpp"

#include <array>

namespace lanyard {

namespace {

struct CodeInfo {
    Errc code;
    char const* text;
    Advice advice;
};

// One row per code, in the order of the enumeration.
constexpr std::array code_table{
    CodeInfo{Errc::closed, "closed", Advice::reconnect},
    CodeInfo{Errc::transport_down, "transport down", Advice::reconnect},
    CodeInfo{Errc::unavailable, "unavailable", Advice::reconnect},
    CodeInfo{Errc::timeout, "timeout", Advice::retry},
    CodeInfo{Errc::cancelled, "cancelled", Advice::ignore},
    CodeInfo{Errc::unsupported_in_era, "not supported by the protocol version", Advice::abort},
    CodeInfo{Errc::not_initialized, "not initialized", Advice::reconnect},
    CodeInfo{Errc::capability_missing, "capability missing", Advice::abort},
    CodeInfo{Errc::busy, "busy", Advice::retry},
    CodeInfo{Errc::too_large, "too large", Advice::abort},
    CodeInfo{Errc::unauthorized, "unauthorized", Advice::abort},
    CodeInfo{Errc::shutdown, "shutdown", Advice::abort},
    CodeInfo{Errc::failed, "failed", Advice::abort},
    CodeInfo{Errc::protocol_violation, "protocol violation", Advice::abort},
    CodeInfo{Errc::invalid_argument, "invalid argument", Advice::abort},
    CodeInfo{Errc::invalid_phase, "not allowed in this phase", Advice::abort},
    CodeInfo{Errc::version_mismatch, "no common protocol version", Advice::abort},
    CodeInfo{Errc::rate_limited, "rate limited", Advice::retry},
    CodeInfo{Errc::too_many_pending, "too many pending requests", Advice::retry},
};

CodeInfo const* info_of(int value) noexcept {
    if (value < 1 || static_cast<std::size_t>(value) > code_table.size()) return nullptr;
    return &code_table[static_cast<std::size_t>(value) - 1];
}

class LanyardCategory final : public std::error_category {
public:
    char const* name() const noexcept override { return "lanyard"; }
    std::string message(int value) const override {
        auto const* info = info_of(value);
        return info != nullptr ? info->text : "unknown error " + std::to_string(value);
    }
};

class RpcCategory final : public std::error_category {
public:
    char const* name() const noexcept override { return "lanyard.rpc"; }
    std::string message(int value) const override {
        return "JSON-RPC error " + std::to_string(value);
    }
};

// Codes outside int cannot occur in an error_code; they are shown in the message instead.
int clamp_code(std::int64_t code) noexcept {
    if (code > INT32_MAX) return INT32_MAX;
    if (code < INT32_MIN) return INT32_MIN;
    return static_cast<int>(code);
}

}  // namespace

std::string DecodeError::to_string() const {
    return pointer.empty() ? message : pointer + ": " + message;
}

std::error_category const& lanyard_category() noexcept {
    static LanyardCategory const category;
    return category;
}

std::error_category const& rpc_category() noexcept {
    static RpcCategory const category;
    return category;
}

std::error_code make_error_code(Errc code) noexcept {
    return {static_cast<int>(code), lanyard_category()};
}

std::string_view to_string(Advice advice) noexcept {
    switch (advice) {
        case Advice::retry:
            return "retry";
        case Advice::reconnect:
            return "reconnect";
        case Advice::abort:
            return "abort";
        case Advice::ignore:
            return "ignore";
    }
    return "abort";
}

struct Error::State {
    std::error_code code;
    std::string message;
    std::string data;
    std::string what;
};

Error::Error(Errc code, std::string message, std::string data) {
    auto const error_code = make_error_code(code);
    auto what = error_code.message() + ": " + message;
    state_ = std::make_shared<State const>(
        State{error_code, std::move(message), std::move(data), std::move(what)});
}

Error Error::from_peer(std::int64_t code, std::string message, std::string data) {
    auto what = "JSON-RPC error " + std::to_string(code) + ": " + message;
    return Error(
        std::make_shared<State const>(State{std::error_code(clamp_code(code), rpc_category()),
                                            std::move(message), std::move(data), std::move(what)}));
}

std::error_code Error::code() const noexcept {
    return state_->code;
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

Advice Error::advice() const noexcept {
    if (state_->code.category() == lanyard_category()) {
        auto const* info = info_of(state_->code.value());
        return info != nullptr ? info->advice : Advice::abort;
    }
    switch (state_->code.value()) {
        case -32009:  // timeout
        case -32010:
            return Advice::retry;  // rate limit
        case -32005:
            return Advice::reconnect;  // not initialized
        case 1003:                     // refusal: rate limit
        case 1008:
            return Advice::retry;  // refusal: temporarily unavailable
        default:
            return Advice::abort;
    }
}

}  // namespace lanyard

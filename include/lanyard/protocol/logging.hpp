// Log messages from a server to its client (MCP specification, server/utilities/logging).
#pragma once

#include <string>

#include <lanyard/protocol/base.hpp>

namespace lanyard {

/// The severities of RFC 5424; more severe levels compare greater.
enum class LoggingLevel { debug, info, notice, warning, error, critical, alert, emergency };

template <>
struct EnumNames<LoggingLevel> {
    static constexpr std::array<std::string_view, 8> value{
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
};

struct SetLevelParams {
    LoggingLevel level = LoggingLevel::info;
    Meta meta{};
    JsonObject extra{};

    bool operator==(SetLevelParams const&) const = default;
};

struct LoggingMessageParams {
    LoggingLevel level = LoggingLevel::info;
    std::string logger{};
    Json data{};  ///< any JSON value
    Meta meta{};
    JsonObject extra{};

    bool operator==(LoggingMessageParams const&) const = default;
};

}  // namespace lanyard

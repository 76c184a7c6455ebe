// Progress and cancellation of a request (MCP specification, basic/utilities/progress,
// basic/utilities/cancellation).
#pragma once

#include <optional>
#include <string>

#include <lanyard/protocol/base.hpp>

namespace lanyard {

struct ProgressParams {
    ProgressToken progress_token{};
    double progress = 0;  ///< increases with every notification
    std::optional<double> total{};
    std::string message{};  ///< since protocol revision 2025-03-26
    Meta meta{};
    JsonObject extra{};

    bool operator==(ProgressParams const&) const = default;
};

struct CancelledParams {
    std::optional<RequestId> request_id{};  ///< required, except in revision 2025-11-25
    std::string reason{};
    Meta meta{};
    JsonObject extra{};

    bool operator==(CancelledParams const&) const = default;
};

}  // namespace lanyard

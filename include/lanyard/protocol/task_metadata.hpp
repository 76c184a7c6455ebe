// A member of a request with which the sender asks the receiver to run the request as a task (MCP
// specification, basic/utilities/tasks; only in protocol revision 2025-11-25).
#pragma once

#include <chrono>
#include <optional>

namespace lanyard {

struct TaskMetadata {
    std::optional<std::chrono::milliseconds> ttl{};  ///< how long the task should be kept

    bool operator==(TaskMetadata const&) const = default;
};

}  // namespace lanyard

// Connections that fail at a chosen moment, to try every moment one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <lanyard/transport.hpp>

namespace lanyard::testing {

/// How an operation fails.
enum class Fault : std::uint8_t {
    error,          ///< opening, reading or writing throws; the connection is gone for both sides
    end_of_stream,  ///< the connection ends here, the message is lost
    truncated,      ///< half of the message passes, then the connection ends
    stall,          ///< nothing passes in this direction any more; only closing helps
};

/// Decides which operation fails. An operation is an opening, a message read (or the end of what
/// can be read), or a message written, counted from 1 over all connections that share the plan.
///
///     auto count = std::make_shared<FaultPlan>();             // fails nothing
///     run(count);
///     for (std::uint64_t n = 1; n <= count->operations(); ++n)
///         run(std::make_shared<FaultPlan>(n, Fault::error));
///
/// Used on one executor.
class FaultPlan {
public:
    /// Counts and fails nothing.
    FaultPlan() = default;
    FaultPlan(std::uint64_t operation, Fault fault) : operation_(operation), fault_(fault) {}
    /// Calls the function at this operation, which may kill the peer, say; nothing else fails.
    FaultPlan(std::uint64_t operation, std::function<void()> action)
        : operation_(operation), action_(std::move(action)) {}

    /// Counts an operation: what is to happen to it.
    std::optional<Fault> next() {
        ++operations_;
        if (operations_ != operation_) return std::nullopt;
        if (action_) action_();
        return fault_;
    }

    /// How many operations there were.
    std::uint64_t operations() const noexcept { return operations_; }
    /// Whether the chosen operation has come.
    bool has_fired() const noexcept { return operation_ != 0 && operations_ >= operation_; }

private:
    std::uint64_t operations_ = 0;
    std::uint64_t operation_ = 0;
    std::optional<Fault> fault_;
    std::function<void()> action_;
};

/// The connection, with one of its operations failing as planned.
std::unique_ptr<Transport> failing_transport(std::unique_ptr<Transport> transport,
                                             std::shared_ptr<FaultPlan> plan);

/// Opens connections that fail as planned; opening is an operation too.
std::unique_ptr<Connector> failing_connector(std::unique_ptr<Connector> connector,
                                             std::shared_ptr<FaultPlan> plan);

}  // namespace lanyard::testing

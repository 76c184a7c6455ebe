// Connections that fail at a chosen operation. With them, a test can make each operation fail in
// turn.
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
    error,          ///< opening, reading or writing throws; the connection is closed for both sides
    end_of_stream,  ///< the connection ends here and the message is lost
    truncated,      ///< half of the message is delivered, then the connection ends
    stall,          ///< nothing more is delivered in this direction; the connection stays open
};

/// Selects the operation that fails. The operations are: opening a connection, reading a message or
/// the end of the input, and writing a message. They are counted from 1, over all connections that
/// share the plan.
///
///     auto count = std::make_shared<FaultPlan>();             // fails nothing
///     run(count);
///     for (std::uint64_t n = 1; n <= count->operations(); ++n)
///         run(std::make_shared<FaultPlan>(n, Fault::error));
///
/// Not thread-safe: all connections that share the plan must run on one executor.
class FaultPlan {
public:
    /// Makes a plan that only counts the operations; none of them fails.
    FaultPlan() = default;
    FaultPlan(std::uint64_t operation, Fault fault) : operation_(operation), fault_(fault) {}
    /// Makes a plan that calls the function when this operation begins, for example to kill the
    /// peer. The operation itself is then performed normally.
    FaultPlan(std::uint64_t operation, std::function<void()> action)
        : operation_(operation), action_(std::move(action)) {}

    /// Counts an operation and returns the fault to apply to it, if any.
    std::optional<Fault> next() {
        ++operations_;
        if (operations_ != operation_) return std::nullopt;
        if (action_) action_();
        return fault_;
    }

    /// The number of operations so far.
    std::uint64_t operations() const noexcept { return operations_; }
    /// Whether the selected operation has been reached.
    bool has_fired() const noexcept { return operation_ != 0 && operations_ >= operation_; }

private:
    std::uint64_t operations_ = 0;
    std::uint64_t operation_ = 0;
    std::optional<Fault> fault_;
    std::function<void()> action_;
};

/// Wraps a connection so that one of its operations fails as planned.
std::unique_ptr<Transport> failing_transport(std::unique_ptr<Transport> transport,
                                             std::shared_ptr<FaultPlan> plan);

/// Wraps a connector so that its connections fail as planned; opening is an operation too.
std::unique_ptr<Connector> failing_connector(std::unique_ptr<Connector> connector,
                                             std::shared_ptr<FaultPlan> plan);

}  // namespace lanyard::testing

// OperationTable: the pending operations of a ClientMachine, with their requests and deadlines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "http/client/client_operation.hpp"

namespace lanyard::http {

/// Owns the operations. Not thread-safe.
class OperationTable {
public:
    /// Adds an operation and gives it an id.
    ClientOperation& add(std::unique_ptr<ClientOperation> operation);
    void remove(ClientOperation& operation);
    void clear() noexcept;

    /// Returns null if there is no such operation.
    ClientOperation* find(CallId id) noexcept;
    /// Returns the operation that sent a request which is not answered yet; null if there is none.
    ClientOperation* find_request(std::int64_t request) noexcept;
    bool has_request(std::int64_t request) const noexcept { return by_request_.contains(request); }
    /// Removes an unanswered request from its operation.
    void remove_request(ClientOperation& operation, std::int64_t request);
    /// Removes all unanswered requests from the operation and returns them.
    std::vector<std::int64_t> take_requests(ClientOperation& operation);

    /// Sets the time at which next_due() returns the operation; TimePoint::max() for never.
    void set_due(ClientOperation& operation, TimePoint when);
    /// Returns an operation whose time has come, and resets its time; null if there is none.
    ClientOperation* next_due(TimePoint now);
    TimePoint next_deadline() const noexcept {
        return due_.empty() ? TimePoint::max() : due_.begin()->first;
    }

    /// Calls the function for each operation, in the order in which they were added. The function
    /// may remove the operation that it gets, but no other one.
    template <class Function>
    void for_each(Function function) {
        for (auto at = operations_.begin(); at != operations_.end();) {
            auto& operation = *at++->second;
            function(operation);
        }
    }
    bool empty() const noexcept { return operations_.empty(); }
    /// The number of operations that wait until a session is open.
    std::size_t held() const noexcept;
    /// The number of notifications and answers that the server has not accepted yet.
    std::size_t unaccepted() const noexcept { return unaccepted_; }
    /// The total size of these notifications and answers in bytes.
    std::size_t unaccepted_bytes() const noexcept { return unaccepted_bytes_; }

private:
    std::map<CallId, std::unique_ptr<ClientOperation>> operations_;
    std::unordered_map<std::int64_t, CallId> by_request_;
    std::set<std::pair<TimePoint, CallId>> due_;
    CallId last_id_ = 0;
    std::size_t unaccepted_ = 0;
    std::size_t unaccepted_bytes_ = 0;
};

}  // namespace lanyard::http

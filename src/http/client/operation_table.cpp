#include "http/client/operation_table.hpp"

#include <algorithm>

namespace lanyard::http {

ClientOperation& OperationTable::add(std::unique_ptr<ClientOperation> operation) {
    auto const id = ++last_id_;
    operation->id = id;
    for (auto const request : operation->message.ids) by_request_[request] = id;
    if (operation->is_one_way()) {
        ++unaccepted_;
        unaccepted_bytes_ += operation->body.size();
    }
    return *operations_.emplace(id, std::move(operation)).first->second;
}

void OperationTable::remove(ClientOperation& operation) {
    set_due(operation, TimePoint::max());
    for (auto const request : operation.message.ids) by_request_.erase(request);
    if (operation.is_one_way()) {
        --unaccepted_;
        unaccepted_bytes_ -= operation.body.size();
    }
    operations_.erase(operation.id);
}

void OperationTable::clear() noexcept {
    operations_.clear();
    by_request_.clear();
    due_.clear();
    unaccepted_ = 0;
    unaccepted_bytes_ = 0;
}

ClientOperation* OperationTable::find(CallId id) noexcept {
    auto const found = operations_.find(id);
    return found == operations_.end() ? nullptr : found->second.get();
}

ClientOperation* OperationTable::find_request(std::int64_t request) noexcept {
    auto const found = by_request_.find(request);
    return found == by_request_.end() ? nullptr : find(found->second);
}

void OperationTable::remove_request(ClientOperation& operation, std::int64_t request) {
    by_request_.erase(request);
    std::erase(operation.message.ids, request);
}

std::vector<std::int64_t> OperationTable::take_requests(ClientOperation& operation) {
    for (auto const request : operation.message.ids) by_request_.erase(request);
    return std::exchange(operation.message.ids, {});
}

void OperationTable::set_due(ClientOperation& operation, TimePoint when) {
    if (operation.due != TimePoint::max()) due_.erase({operation.due, operation.id});
    operation.due = when;
    if (when != TimePoint::max()) due_.insert({when, operation.id});
}

ClientOperation* OperationTable::next_due(TimePoint now) {
    if (due_.empty() || due_.begin()->first > now) return nullptr;
    auto* const operation = find(due_.begin()->second);
    set_due(*operation, TimePoint::max());
    return operation;
}

std::size_t OperationTable::held() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(operations_, [](auto const& entry) {
        return entry.second->state == ClientOperation::State::held;
    }));
}

}  // namespace lanyard::http

#include "peer/inbound_requests.hpp"

#include <functional>

namespace lanyard::rpc {

auto InboundTable::begin(RequestId&& id, std::string_view method,
                         std::optional<ProgressToken> token) -> Result<Ticket> {
    auto const hashed = hash(id);
    if (find(id, hashed) != requests_.none) {
        ++counters_.duplicate_ids;
        return Unexpected(
            Error(Errc::protocol_violation, "a request with this id is in progress already"));
    }
    // A cancelled request counts towards the limit until its handler has finished. Otherwise a peer
    // could start any number of handlers by cancelling requests.
    if (requests_.in_use() >= options_.max_in_flight) {
        ++counters_.refused_for_room;
        return Unexpected(Error(Errc::too_many_pending, std::to_string(options_.max_in_flight) +
                                                            " requests are in progress already"));
    }
    // The allocations come first, so that a failure changes nothing.
    auto progress = sender(std::move(token));
    auto const slot = requests_.add(hashed);
    auto& request = requests_[slot];
    request.hash = hashed;
    request.cancelled = false;
    request.is_initialize = method == "initialize";
    request.id = std::move(id);
    request.progress = std::move(progress);
    ++counters_.begun;
    return Ticket{slot, request.generation};
}

auto InboundTable::begin_unnamed(std::string_view method) -> Ticket {
    auto const slot = requests_.take();
    auto& request = requests_[slot];
    request.cancelled = false;
    request.is_initialize = method == "initialize";
    ++counters_.begun;
    unnamed_ = {slot, request.generation};
    return unnamed_;
}

void InboundTable::name(Ticket ticket, RequestId&& id, std::optional<ProgressToken> token) {
    if (!is_unnamed(ticket)) return;
    auto progress = sender(std::move(token));
    auto const hashed = hash(id);
    requests_.index(hashed, ticket.slot);
    unnamed_ = Ticket();
    auto& request = requests_[ticket.slot];
    request.hash = hashed;
    request.id = std::move(id);
    request.progress = std::move(progress);
}

std::unique_ptr<ProgressSender> InboundTable::sender(std::optional<ProgressToken> token) const {
    if (!token) return nullptr;
    return std::make_unique<ProgressSender>(*std::move(token), options_.progress_rate);
}

// Makes sure that the request is no longer found by its id. If the request is still unnamed, its id
// is not in the index, so it suffices to clear unnamed_. Otherwise the id is removed from the
// index.
void InboundTable::end_unnamed_or_unindex(Ticket ticket) noexcept {
    if (is_unnamed(ticket)) {
        unnamed_ = Ticket();
    } else {
        requests_.unindex(requests_[ticket.slot].hash, ticket.slot);
    }
}

auto InboundTable::cancel(std::optional<RequestId> const& id) -> std::optional<Ticket> {
    auto const slot = id ? find(*id, hash(*id)) : requests_.none;
    if (slot == requests_.none || requests_[slot].is_initialize) {
        ++counters_.ignored_cancellations;
        return std::nullopt;
    }
    return mark_cancelled(slot);
}

auto InboundTable::cancel_all() -> std::vector<Ticket> {
    std::vector<std::uint32_t> slots;
    requests_.for_each([&](std::uint32_t slot) { slots.push_back(slot); });
    if (unnamed_.generation != 0) slots.push_back(unnamed_.slot);
    std::vector<Ticket> tickets;
    for (auto slot : slots) tickets.push_back(mark_cancelled(slot));
    return tickets;
}

ProgressSender const* InboundTable::progress(Ticket ticket) const noexcept {
    auto const& progress = requests_[ticket.slot].progress;
    return active(ticket) ? progress.get() : nullptr;
}

auto InboundTable::finish(Ticket ticket) -> Finish {
    if (!holds(ticket)) return {};
    auto& request = requests_[ticket.slot];
    Finish result{!request.cancelled, std::move(request.id), std::nullopt};
    if (result.answer) {
        if (request.progress) result.last_progress = request.progress->finish();
        end_unnamed_or_unindex(ticket);
    }
    request.progress.reset();
    ++request.generation;
    requests_.recycle(ticket.slot);
    return result;
}

std::uint64_t InboundTable::hash(RequestId const& id) const noexcept {
    return mix(std::hash<RequestId>{}(id) ^ options_.hash_seed);
}

std::uint32_t InboundTable::find(RequestId const& id, std::uint64_t hashed) const {
    return requests_.find(hashed, [&](Request const& request) { return request.id == id; });
}

auto InboundTable::mark_cancelled(std::uint32_t slot) -> Ticket {
    auto& request = requests_[slot];
    Ticket const ticket{slot, request.generation};
    end_unnamed_or_unindex(ticket);
    request.cancelled = true;
    request.progress.reset();
    ++counters_.cancelled;
    return ticket;
}

}  // namespace lanyard::rpc

#include "http/client/call_pool.hpp"

#include <algorithm>

namespace lanyard::http {

bool CallPool::submit(CallId call, SlotKind lane, bool fresh) {
    if (queued() >= limits_.queued && lane == SlotKind::call && !has_room(lane)) return false;
    // Changes nothing if there is no memory.
    Queue added;
    added.push_back({call, fresh});
    places_[call] = {lane, added.begin()};
    auto& queue = waiting_[index(lane)];
    queue.splice(queue.end(), added);
    return true;
}

bool CallPool::has_room(SlotKind lane) const noexcept {
    switch (lane) {
        case SlotKind::call:
            return busy_[index(lane)] < limits_.calls;
        case SlotKind::message:
            return busy_[index(lane)] < limits_.messages;
        default:
            return true;
    }
}

auto CallPool::next() -> std::optional<Assignment> {
    for (auto const lane : {SlotKind::message, SlotKind::stream, SlotKind::call}) {
        auto& queue = waiting_[index(lane)];
        if (queue.empty() || !has_room(lane)) continue;
        auto const waiting = queue.front();
        queue.pop_front();
        places_.erase(waiting.call);
        return assign(waiting, lane);
    }
    return std::nullopt;
}

auto CallPool::assign(Waiting const& waiting, SlotKind lane) -> Assignment {
    bool const open = waiting.fresh || idle_.empty();
    auto const id = open ? ++last_link_ : idle_.back();
    if (!open) idle_.pop_back();
    auto& link = links_[id];
    link.call = waiting.call;
    link.lane = lane;
    link.counts = true;
    ++busy_[index(lane)];
    by_call_[waiting.call] = id;
    return {waiting.call, id, open};
}

void CallPool::vacate(Link& link) noexcept {
    if (link.counts) --busy_[index(link.lane)];
    link.counts = false;
    by_call_.erase(link.call);
    link.call = 0;
}

void CallPool::on_stream(CallId call) {
    auto const found = by_call_.find(call);
    if (found == by_call_.end()) return;
    auto& link = links_[found->second];
    // The server should respond to a notification or an answer with 202. If it responds with a
    // stream instead, the call keeps its slot. Otherwise the server could make the client open an
    // unlimited number of connections.
    if (link.lane == SlotKind::message) return;
    if (link.counts) --busy_[index(link.lane)];
    link.counts = false;
}

bool CallPool::on_free(LinkId id) {
    auto const found = links_.find(id);
    if (found == links_.end()) return false;
    vacate(found->second);
    if (idle_.size() >= limits_.idle) {
        links_.erase(found);
        return false;
    }
    idle_.push_back(id);
    return true;
}

void CallPool::on_gone(LinkId id) {
    auto const found = links_.find(id);
    if (found == links_.end()) return;
    vacate(found->second);
    std::erase(idle_, id);
    links_.erase(found);
}

std::optional<LinkId> CallPool::withdraw(CallId call) {
    if (auto const found = by_call_.find(call); found != by_call_.end()) {
        auto const link = found->second;
        on_gone(link);
        return link;
    }
    if (auto const found = places_.find(call); found != places_.end()) {
        auto const& place = found->second;
        waiting_[index(place.lane)].erase(place.at);
        places_.erase(found);
    }
    return std::nullopt;
}

}  // namespace lanyard::http

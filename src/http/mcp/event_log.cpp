#include "http/mcp/event_log.hpp"

#include <algorithm>
#include <charconv>

#include "crypto/random_id.hpp"

namespace lanyard::http {
namespace {

constexpr char separator = '.';
constexpr int base = 36;
// The maximum size of the share of a session (see EventPool). Sessions that hold no more than the
// share lose no events as long as another session of the same owner holds more.
constexpr std::size_t most_share = std::size_t{64} * 1024;

}  // namespace

EventId::EventId(std::string_view session_tag, StreamNumber stream,
                 std::uint64_t sequence) noexcept {
    // text_ is large enough for a tag of 24 characters, two numbers of at most 13 digits each, and
    // two separators.
    auto* const end = text_.data() + text_.size();
    auto* out = std::copy(session_tag.begin(), session_tag.end(), text_.data());
    *out++ = separator;
    out = std::to_chars(out, end, stream, base).ptr;
    *out++ = separator;
    out = std::to_chars(out, end, sequence, base).ptr;
    size_ = static_cast<std::size_t>(out - text_.data());
}

EventPool::Owner& EventPool::join(MemoryEventLog& log, EventOwner name) {
    auto& owner = owners_[name];
    owner.name = name;
    owner.logs.push_back(&log);
    return owner;
}

void EventPool::leave(MemoryEventLog& log, Owner& owner) noexcept {
    auto const at = std::find(owner.logs.begin(), owner.logs.end(), &log);
    *at = owner.logs.back();
    owner.logs.pop_back();
    if (owner.logs.empty()) owners_.erase(owner.name);
}

// Drops events if the limit is exceeded. Frees more than is needed now, so that the expensive
// search for the largest owner is rare.
void EventPool::make_room() {
    if (bytes_ <= max_bytes_) return;
    auto const enough = max_bytes_ - max_bytes_ / 64;
    auto const share = std::min(most_share, max_bytes_ / 1024);
    auto const less = [](auto const& one, auto const& other) {
        return one->bytes_ < other->bytes_;
    };
    while (bytes_ > enough) {
        auto& owner = std::max_element(owners_.begin(), owners_.end(), [](auto& one, auto& other) {
                          return one.second.bytes < other.second.bytes;
                      })->second;
        auto& log = **std::max_element(owner.logs.begin(), owner.logs.end(), less);
        if (log.bytes_ <= share) {
            evict_oldest(owner, enough);
            continue;
        }
        auto const down_to = std::max(share, log.bytes_ / 2);
        while (log.bytes_ > down_to && bytes_ > enough) {
            log.drop_oldest();
            ++evicted_;
        }
    }
}

void EventPool::evict_oldest(Owner& owner, std::size_t down_to) {
    std::vector<MemoryEventLog*> logs;
    for (auto* const log : owner.logs) {
        if (log->has_events()) logs.push_back(log);
    }
    auto const younger = [](auto const* one, auto const* other) {
        return one->events_.front().at > other->events_.front().at;
    };
    std::make_heap(logs.begin(), logs.end(), younger);
    while (bytes_ > down_to && !logs.empty()) {
        std::pop_heap(logs.begin(), logs.end(), younger);
        logs.back()->drop_oldest();
        ++evicted_;
        if (logs.back()->has_events()) {
            std::push_heap(logs.begin(), logs.end(), younger);
        } else {
            logs.pop_back();
        }
    }
}

MemoryEventStore::MemoryEventStore(EventLimits const& limits, MakeTag make_tag)
    : limits_(limits),
      make_tag_(std::move(make_tag)),
      pool_(std::make_shared<EventPool>(limits.max_total)) {}

std::string MemoryEventStore::random_tag() {
    return crypto::random_id(system_random());
}

// The session's id is not used as the tag, because it must stay secret and event ids may
// appear in places such as logs.
std::unique_ptr<EventLog> MemoryEventStore::open_log(std::string_view, EventOwner owner) {
    return std::make_unique<MemoryEventLog>(make_tag_(), limits_, pool_, owner);
}

MemoryEventLog::MemoryEventLog(std::string session_tag, EventLimits const& limits,
                               std::shared_ptr<EventPool> pool, EventOwner owner)
    : tag_(std::move(session_tag)),
      limits_(limits),
      pool_(std::move(pool)),
      owner_(pool_->join(*this, owner)) {}

MemoryEventLog::~MemoryEventLog() {
    while (!events_.empty()) drop_oldest();
    pool_->leave(*this, owner_);
}

StreamNumber MemoryEventLog::open() {
    streams_.emplace(++last_stream_, Stream{});
    return last_stream_;
}

EventId MemoryEventLog::first_id(StreamNumber stream) const noexcept {
    return {tag_, stream, 0};
}

std::size_t MemoryEventLog::cost(Event const& event) noexcept {
    return sizeof(Event) + event.message.size();
}

void MemoryEventLog::drop_oldest() noexcept {
    auto const& event = events_.front();
    auto const bytes = cost(event);
    bytes_ -= bytes;
    owner_.bytes -= bytes;
    pool_->bytes_ -= bytes;
    auto const stream = streams_.find(event.stream);
    stream->second.dropped = event.sequence;
    // The stream is finished and all its events were dropped, so it can never be resumed.
    if (stream->second.finished && stream->second.dropped == stream->second.last) {
        streams_.erase(stream);
    }
    events_.pop_front();
}

EventId MemoryEventLog::append(StreamNumber number, std::string_view message, TimePoint now) {
    auto& stream = streams_.at(number);
    EventId const id(tag_, number, ++stream.last);
    auto const& event = events_.emplace_back(Event{number, stream.last, now, std::string(message)});
    auto const bytes = cost(event);
    bytes_ += bytes;
    owner_.bytes += bytes;
    pool_->bytes_ += bytes;
    while (!events_.empty() &&
           (events_.size() > limits_.max_events || bytes_ > limits_.max_bytes)) {
        drop_oldest();
    }
    pool_->make_room();
    return id;
}

void MemoryEventLog::finish(StreamNumber number) noexcept {
    auto const stream = streams_.find(number);
    if (stream == streams_.end()) return;
    stream->second.finished = true;
    if (stream->second.dropped == stream->second.last) streams_.erase(stream);
}

std::optional<MemoryEventLog::Place> MemoryEventLog::find(std::string_view id) const noexcept {
    if (!id.starts_with(tag_)) return std::nullopt;
    Place place{};
    auto const* const end = id.data() + id.size();
    auto const* at = std::min(id.data() + tag_.size() + 1, end);
    at = std::from_chars(at, end, place.stream, base).ptr;
    std::from_chars(std::min(at + 1, end), end, place.sequence, base);
    // Accepts only the spelling that EventId produces.
    if (EventId(tag_, place.stream, place.sequence).view() != id) return std::nullopt;
    return place;
}

void MemoryEventLog::resume(std::string_view last_event_id, ResumeSink& sink) {
    auto const place = find(last_event_id);
    auto const stream = place ? streams_.find(place->stream) : streams_.end();
    if (stream == streams_.end() || place->sequence > stream->second.last ||
        place->sequence < stream->second.dropped) {
        sink.on_unknown();
        return;
    }
    for (auto const& event : events_) {
        if (event.stream != place->stream || event.sequence <= place->sequence) continue;
        sink.on_event(EventId(tag_, event.stream, event.sequence).view(), event.message);
    }
    sink.on_resumed(place->stream, stream->second.finished);
}

void MemoryEventLog::expire(TimePoint now) noexcept {
    while (!events_.empty() && now - events_.front().at >= limits_.max_age) drop_oldest();
}

}  // namespace lanyard::http

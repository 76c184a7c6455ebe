#include "network.hpp"

#include <algorithm>
#include <utility>

namespace lanyard::simulation {

using namespace std::chrono_literals;

namespace {

bool is_answer(std::string_view message) {
    return message.find(R"("result":)") != std::string_view::npos ||
           message.find(R"("error":)") != std::string_view::npos;
}

}  // namespace

Weather Weather::of(Dice& dice) noexcept {
    Weather weather;
    weather.delays = dice.percent(70);
    weather.splits = dice.percent(30);
    weather.duplicates = dice.percent(20);
    weather.late = dice.percent(20);
    weather.stalls = dice.percent(15);
    return weather;
}

void Direction::send(std::string_view message) {
    if (finished_ || ended_) return;
    world_.note(name_, "sends", message);
    if (weather_.late && is_answer(message) && world_.dice.percent(20)) {
        // Delayed alone: messages sent after it arrive before it.
        world_.in(world_.dice.up_to(60s), [this, text = std::string(message)] {
            if (!finished_ && !ended_) enqueue(text);
        });
        return;
    }
    enqueue(message);
    if (repeats_) enqueue(message);
    if (weather_.duplicates && is_answer(message) && world_.dice.percent(30)) {
        world_.in(world_.dice.up_to(10s), [this, text = std::string(message)] {
            if (!finished_ && !ended_) enqueue(text);
        });
    }
}

void Direction::enqueue(std::string_view message) {
    std::string bytes(message);
    bytes.push_back('\n');
    if (weather_.splits && world_.dice.percent(50)) {
        auto const at = world_.dice.between(1, bytes.size());
        push(bytes.substr(0, at), false);
        if (at == bytes.size()) return;
        bytes.erase(0, at);
    }
    push(std::move(bytes), false);
}

void Direction::push(std::string bytes, bool last) {
    auto due = world_.now;
    if (weather_.delays) due += world_.dice.up_to(50ms);
    if (weather_.stalls && world_.dice.percent(3)) due += world_.dice.up_to(90s);
    last_due_ = std::max(last_due_, due);
    under_way_ += bytes.size();
    parts_.push_back({std::move(bytes), last_due_, last});
    world_.agenda.at(last_due_, [this] { deliver(); });
}

void Direction::deliver() {
    // After a cut, entries for lost parts are still on the agenda.
    if (ended_ || parts_.empty() || parts_.front().due > world_.now) return;
    auto const part = std::move(parts_.front());
    parts_.pop_front();
    under_way_ -= part.bytes.size();
    if (vanished_) return;
    if (part.last) {
        end();
        return;
    }
    auto const passing = std::string_view(part.bytes).substr(0, bytes_left_);
    if (bytes_left_ != SIZE_MAX) bytes_left_ -= passing.size();
    world_.note(name_, "delivers", passing);
    if (receiver_ != nullptr && !passing.empty()) receiver_->on_bytes(passing);
    if (bytes_left_ == 0 && !ended_) {
        world_.note(name_, "breaks");
        auto const call = std::exchange(on_break_, nullptr);
        cut();
        if (call) call();
        return;
    }
    if (on_room_ && has_room()) on_room_();
}

void Direction::finish() {
    if (finished_ || ended_) return;
    finished_ = true;
    push({}, true);
}

void Direction::cut() {
    if (ended_) return;
    parts_.clear();
    under_way_ = 0;
    end();
}

void Direction::cut_after(std::size_t bytes, std::function<void()> call) {
    bytes_left_ = bytes;
    on_break_ = std::move(call);
}

void Direction::end() {
    ended_ = true;
    world_.note(name_, "ends");
    if (receiver_ != nullptr) receiver_->on_end();
    if (on_room_) on_room_();
}

Link::Link(World& on, std::string const& name)
    : world(on),
      forth(on, name + ">", Weather::of(on.dice)),
      back(on, name + "<", Weather::of(on.dice)) {}

void Link::lose() {
    world.note("link", "is lost");
    forth.cut();
    // The other end may detect it later.
    world.in(world.dice.up_to(20ms), [self = shared_from_this()] { self->back.cut(); });
}

void Link::plan_faults(Duration within) {
    auto const self = shared_from_this();
    switch (world.dice.below(7)) {
        case 0:
            world.in(world.dice.up_to(within), [self] { self->lose(); });
            break;
        case 1:
        case 2: {
            auto& direction = world.dice.percent(50) ? forth : back;
            // The link owns this function, which therefore must not keep the link alive.
            auto const lose_it = [link = weak_from_this()] {
                if (auto const alive = link.lock()) alive->lose();
            };
            direction.cut_after(world.dice.between(1, 1500), lose_it);
            break;
        }
        case 3:
            // One direction ends, the other continues for a while.
            world.in(world.dice.up_to(within), [self] {
                auto& direction = self->world.dice.percent(50) ? self->forth : self->back;
                direction.finish();
                self->world.in(self->world.dice.up_to(30s), [self] { self->lose(); });
            });
            break;
        case 4:
            // An end that does not ping the other one detects this only when the transport gives
            // up.
            world.in(world.dice.up_to(within), [self] {
                self->world.note("link", "vanishes");
                self->vanished = self->world.now;
                self->forth.vanish();
                self->back.vanish();
                self->world.in(60s, [self] { self->lose(); });
            });
            break;
        default:
            break;
    }
}

}  // namespace lanyard::simulation

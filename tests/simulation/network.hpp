// A simulated connection: carries bytes between two ends, with faults chosen at random by the
// world's dice.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "world.hpp"

namespace lanyard::simulation {

/// Receives the bytes of one direction.
class Receiver {
public:
    virtual ~Receiver() = default;
    virtual void on_bytes(std::string_view bytes) = 0;
    /// No more bytes will arrive.
    virtual void on_end() = 0;
};

/// The faults that a connection has all the time.
struct Weather {
    bool delays = false;
    bool splits = false;      ///< messages arrive in parts
    bool duplicates = false;  ///< answers arrive again, later
    bool late = false;        ///< some answers arrive after their request has timed out
    bool stalls = false;      ///< nothing arrives for a while

    static Weather of(Dice& dice) noexcept;
};

/// One direction of a connection. Messages arrive in the order of sending, except for answers that
/// the weather delays or repeats.
class Direction {
public:
    /// If more bytes than this are under way, the sender has to wait.
    static constexpr std::size_t room = 16 * 1024;

    Direction(World& world, std::string name, Weather weather)
        : world_(world), name_(std::move(name)), weather_(weather) {}

    void deliver_to(Receiver* receiver) noexcept { receiver_ = receiver; }
    /// Called when there is room again.
    void on_room(std::function<void()> call) { on_room_ = std::move(call); }

    bool has_room() const noexcept { return under_way_ < room; }
    std::size_t under_way() const noexcept { return under_way_; }
    bool is_cut() const noexcept { return ended_; }

    /// Sends a message, without its line end.
    void send(std::string_view message);
    /// The sender ends the direction: the receiver gets the end after everything that was sent.
    void finish();
    /// The direction breaks: bytes under way are lost, and the receiver gets the end.
    void cut();
    /// Breaks after this many more bytes, even in the middle of a message; then `call` is called.
    void cut_after(std::size_t bytes, std::function<void()> call);
    /// Nothing arrives from now on, not even an end, as if the cable had been pulled.
    void vanish() noexcept { vanished_ = true; }
    /// Sends everything twice from now on, which no transport may do.
    void repeat_everything() noexcept { repeats_ = true; }

private:
    struct Part {
        std::string bytes;
        TimePoint due;
        bool last = false;  // the end of the direction
    };

    void enqueue(std::string_view message);
    void push(std::string bytes, bool last);
    void deliver();
    void end();

    World& world_;
    std::string name_;
    Weather weather_;
    Receiver* receiver_ = nullptr;
    std::function<void()> on_room_;
    std::deque<Part> parts_;
    std::size_t under_way_ = 0;
    std::size_t bytes_left_ = SIZE_MAX;
    std::function<void()> on_break_;
    TimePoint last_due_{};
    bool repeats_ = false;
    bool vanished_ = false;
    bool finished_ = false;
    bool ended_ = false;
};

/// Both directions between two ends.
struct Link : std::enable_shared_from_this<Link> {
    Link(World& world, std::string const& name);

    /// Plans faults that occur once: loss, truncation, half-close, silence.
    void plan_faults(Duration within);
    /// Breaks both directions: both ends get the end of their input.
    void lose();

    World& world;
    Direction forth;  ///< from the first end to the second
    Direction back;
    std::optional<TimePoint> vanished;  ///< since when nothing arrives at either end
};

}  // namespace lanyard::simulation

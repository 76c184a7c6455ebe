// LaneCode: user code that lanes run, and whether it has blocked a loop.
#pragma once

#include <atomic>

namespace lanyard::runtime {

/// User code that lanes run, for example a handler. Lanes that run the same code share one object.
class LaneCode {
public:
    /// Whether the code has blocked a loop. From then on, it runs on spare threads only. Called on
    /// the thread that owns the loop.
    virtual bool has_blocked() const noexcept = 0;
    /// Called after a function of a lane has blocked the loop. The caller is the thread that has
    /// taken the loop over.
    virtual void on_blocked() noexcept = 0;

protected:
    ~LaneCode() = default;
};

/// A LaneCode that stores only whether the code has blocked a loop.
class BlockingCode final : public LaneCode {
public:
    bool has_blocked() const noexcept override { return blocked_.load(std::memory_order_relaxed); }
    void on_blocked() noexcept override { blocked_.store(true, std::memory_order_relaxed); }

private:
    std::atomic<bool> blocked_ = false;
};

}  // namespace lanyard::runtime

// Calls: all calls of one executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/deadline_heap.hpp"
#include "lanyard/time_source.hpp"
#include "runtime/event.hpp"
#include "runtime/loop.hpp"
#include "server/core/mailbox.hpp"
#include "server/core/server_core.hpp"

namespace lanyard {
struct UnansweredRequest;
}  // namespace lanyard

namespace lanyard::server {

namespace detail {
class Call;
}
using detail::Call;

/// The interface through which a Calls object informs its owner.
class CallsOwner {
public:
    /// Called when a call was expected to end before the next message is read, but will not,
    /// because its handler runs on a thread that does not own the loop.
    virtual void on_call_continues(Call& /*call*/) {}

protected:
    ~CallsOwner() = default;
};

/// The calls of one executor; Call objects are reused. Not thread-safe.
class Calls {
public:
    Calls(std::shared_ptr<ServerCore> core, boost::asio::any_io_executor executor,
          CallsOwner& owner);
    ~Calls();
    Calls(Calls const&) = delete;
    Calls& operator=(Calls const&) = delete;

    /// Returns a Call object that is not in use.
    Call& take();
    void give_back(Call& call);

    TimePoint next_deadline() const noexcept { return deadlines_.next(); }
    void on_time(TimePoint now);

    /// Appends the requests of this session that are in progress to `found`.
    void list_pending(std::string const& session, std::vector<UnansweredRequest>& found) const;

    std::size_t in_use() const noexcept { return calls_.size() - free_.size(); }
    /// Whether no call is in progress and no URL elicitation is open (see
    /// add_url_elicitation()).
    bool is_idle() const noexcept {
        return in_use() == 0 && tasks_ == 0 && url_elicitations_.empty();
    }
    /// Completes when no handler coroutine is running any more, or at `until`.
    Task<> wait_for_tasks(TimePoint until);
    /// Completes when no call is in use any more, or at `until`.
    Task<> wait_until_idle(TimePoint until);
    /// Must be called when the connection has ended. Ends a pending wait_until_idle(); from then
    /// on, that function does not wait.
    void stop_waiting();

    ServerCore& core() noexcept { return *core_; }
    std::shared_ptr<ServerCore> const& shared_core() const noexcept { return core_; }
    std::shared_ptr<Mailbox> const& mailbox() const noexcept { return mailbox_; }
    boost::asio::any_io_executor const& executor() const noexcept { return executor_; }
    TimePoint now() const noexcept { return core_->time().now(); }
    /// The loop that runs the executor; null if the executor belongs to user code.
    runtime::Loop* loop() const noexcept { return loop_; }
    /// The current settings.
    Settings const& settings() { return *shared_settings(); }
    std::shared_ptr<Settings const> const& shared_settings() {
        auto const generation = core_->settings_generation();
        if (generation != settings_generation_) {
            settings_ = core_->settings();
            settings_generation_ = generation;
        }
        return settings_;
    }
    /// Records the id of an elicitation that asks the client's user to open a web page. If there
    /// are too many records, the oldest is dropped.
    void add_url_elicitation(std::string id);
    /// Removes the record for this id. Returns false if there is no such record.
    bool take_url_elicitation(std::string const& id);

    /// Switches batching on or off. While batching is on, Call objects do not flush their answers,
    /// because the carrier flushes after the last of the received messages.
    void batch(bool on) noexcept { batching_ = on; }
    bool batching() const noexcept { return batching_; }

    /// Sets a function that is called when deadlines may have changed.
    void on_deadline_change(std::function<void()> rearm) { rearm_ = std::move(rearm); }

private:
    friend Call;

    std::shared_ptr<ServerCore> core_;
    boost::asio::any_io_executor executor_;
    runtime::Loop* loop_;
    CallsOwner& owner_;
    std::shared_ptr<Mailbox> mailbox_;
    std::vector<std::shared_ptr<Call>> calls_;  // by slot
    std::vector<std::uint32_t> free_;
    DeadlineHeap deadlines_;
    std::function<void()> rearm_;
    // The number of handler coroutines, without those that run on the user's handler executor.
    std::size_t tasks_ = 0;
    runtime::RareEvent idle_;
    bool ended_ = false;
    bool batching_ = false;
    std::shared_ptr<Settings const> settings_;
    std::uint64_t settings_generation_ = 0;
    std::vector<std::string> url_elicitations_;
};

}  // namespace lanyard::server

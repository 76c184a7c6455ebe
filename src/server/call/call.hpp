// Call: one request for a feature while it is being served; and Calls, all calls of one executor.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "base/deadline_heap.hpp"
#include "base/rate_limiter.hpp"
#include "lanyard/json/document.hpp"
#include "lanyard/server/context.hpp"
#include "lanyard/time_source.hpp"
#include "runtime/event.hpp"
#include "runtime/loop.hpp"
#include "server/call/blocking_wait.hpp"
#include "server/call/call_responder.hpp"
#include "server/call/mailbox.hpp"
#include "server/call/metadata.hpp"
#include "server/call/mrtr.hpp"
#include "server/call/tool_operation.hpp"
#include "server/catalog/operation.hpp"
#include "server/server_core.hpp"

namespace lanyard::server {

class Calls;

/// A request as received from its carrier, the code that receives requests and sends answers. The
/// envelope is valid only while the message is processed.
struct Arrival {
    rpc::Envelope const& envelope;
    Version version;
    std::shared_ptr<ClientInfo const> const& client;
    std::shared_ptr<PeerInfo const> const& peer;
    std::optional<LoggingLevel> log_level;  ///< lowest severity of log messages the client wants
    TimePoint received;
};

namespace detail {

/// One request being served. The session's executor owns the call; the handler may run on another
/// thread. If it runs on the loop's own thread and blocks, another thread takes the loop over.
class Call final : public std::enable_shared_from_this<Call>, public runtime::UserWork {
public:
    Call(Calls& home, std::uint32_t slot);
    ~Call() { uncount(); }
    Call(Call const&) = delete;
    Call& operator=(Call const&) = delete;

    // The code that starts the call uses the following functions, on the executor.

    /// `target` must stay valid as long as the message; keep() returns a copy that stays valid.
    void begin(CallResponder& responder, Arrival const& arrival, std::string_view target);
    std::string_view keep(std::string_view target) { return kept_target_.assign(target); }
    /// The operation of a tool, which is part of the call and needs no allocation.
    ToolOperation& tool() noexcept { return tool_; }
    void run_tool(json::View params);
    void run(std::unique_ptr<Operation> operation, json::View params);
    Context& context() noexcept { return context_; }
    bool is_filtered() { return !home_settings().filters.empty(); }
    /// For a coroutine of this call: runs an operation that the coroutine has found, with the
    /// limits of the operation's handler.
    Task<> perform_found(Operation& operation);
    /// Ends the request with an error.
    void refuse(wire::WireError const& error);

    /// Releases the call without an answer: the request is answered elsewhere.
    void dismiss() { release(); }
    /// Runs a task that calls the user's filters, on a thread that filters may block. When the task
    /// has ended, releases the call and calls `then` on the executor with the task's exception, if
    /// any; `then` has to answer the request.
    void run_filters(Task<> task, std::function<void(std::exception_ptr)> then);

    /// Called when the client has cancelled the request or disconnected.
    void cancel();
    void on_timeout();
    /// Called when the connection is gone: ends the call without an answer.
    void detach() noexcept;

    std::uint32_t slot() const noexcept { return slot_; }
    bool in_use() const noexcept { return in_use_; }
    /// Whether the handler runs before another message is read.
    bool runs_in_turn() const noexcept { return queued() && !outlives_message_; }

    // The handler calls the following functions through Context.

    std::string_view request_id() const noexcept { return request_id_; }
    std::string_view method() const noexcept { return method_; }
    std::string_view target() const noexcept { return target_; }
    std::string_view params() const noexcept { return params_; }
    Meta meta() const;
    ClientInfo const& client() const noexcept { return *client_; }
    PeerInfo const& peer() const noexcept { return **peer_; }
    Version version() const noexcept { return version_; }
    TimePoint received() const noexcept { return received_; }
    std::stop_token stop_token();
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
    void report(rpc::ProgressUpdate update);
    void log(LoggingLevel level, Json data, std::string_view logger);
    void release_stream();
    Task<std::vector<InputResponse>> ask(
        std::vector<std::pair<std::string, InputRequest>> questions);
    InputRounds& rounds() noexcept { return rounds_; }
    /// Runs the task and blocks the calling thread until it ends.
    void wait(Task<> task);
    /// Runs the function in a worker thread.
    Task<> run_in_worker(std::function<void()> function);

private:
    friend Calls;
    friend class runtime::Loop;

    struct LogMessage {
        LoggingLevel level;
        std::string logger;
        Json data;
    };
    struct StreamRelease {};
    using HandlerMessage = std::variant<rpc::ProgressUpdate, LogMessage, StreamRelease>;
    class LiveQuestion;

    Settings const& home_settings();

    // Running the handler: dispatch.cpp.
    template <class AnyOperation>
    void run(AnyOperation& operation, json::View params);
    bool admit(RunOptions const& options);
    bool may_run_inline(RunOptions const& options, Settings const& settings) const;
    void run_in_place(RunOptions const& options, json::View params);
    template <class AnyOperation>
    void run_on_loop(AnyOperation& operation, json::View params);
    void run_elsewhere(RunOptions const& options);
    void run_ready(runtime::Loop& loop) override;
    void invoke() noexcept override;
    void finish() override;
    void on_lost() noexcept override;
    void finish_lost() noexcept override;
    void post_end() noexcept;
    void run_task(RunOptions const& options, Task<> task);
    /// Prepares the result after a coroutine has ended. Returns the exception of the coroutine or,
    /// if it succeeded, of the preparation; null if both succeeded.
    std::exception_ptr prepared(std::exception_ptr failure) noexcept;
    void watch_time(RunOptions const& options);
    bool submit(std::function<void()> job, Settings const& settings);
    void work() noexcept;
    bool count(RunOptions const& options);
    Task<> perform(Operation& operation);
    Task<> run_started();
    Task<> run_chain();
    Task<RawJson> run_chain_from(std::size_t index);
    Task<RawJson> run_innermost();
    /// Copies the parts of the message that the call needs, so that the call can outlive the
    /// message.
    void outlive_message();
    /// Same as outlive_message(), but copies only what a handler with decoded arguments needs.
    void outlive_turn();
    json::View parse_params();
    void uncount() noexcept;

    // Ending the call: call.cpp.
    void end(std::exception_ptr const& failure);
    void end_filters(std::exception_ptr const& failure);
    void answer(std::exception_ptr const& failure);
    void answer_failure(std::exception_ptr const& failure);
    void ask_by_result();
    void release();
    void post(HandlerMessage said);
    void post_messages();
    void flush_messages() {
        if (has_messages_.load(std::memory_order_acquire)) flush_all_messages();
    }
    void flush_all_messages();
    void send_log(LogMessage const& message);

    // Questions to the client: call_questions.cpp.
    void check_askable(InputRequest const& question) const;
    /// Whether the handler is a plain function that waits for a task in its own thread.
    bool waits_in_thread() {
        std::lock_guard const lock(messages_mutex_);
        return wait_ != nullptr;
    }
    Task<std::vector<InputResponse>> ask_live(
        std::vector<std::pair<std::string, InputRequest>> questions);

    Calls* home_;
    std::shared_ptr<ServerCore> core_;
    std::shared_ptr<Mailbox> mailbox_;
    runtime::Loop* loop_;
    std::uint32_t slot_;
    CallResponder* responder_ = nullptr;
    Operation* operation_ = nullptr;
    std::unique_ptr<Operation> owned_;
    ToolOperation tool_;
    Context context_;
    InputRounds rounds_;

    std::string_view request_id_;  // this and the next three: views of the message or message_
    std::string_view method_;
    std::string_view params_;
    std::string_view target_;
    std::string kept_target_;
    std::string message_;  // copied parts of the message, if the call outlives the message
    json::Document document_;
    Version version_{};
    std::shared_ptr<ClientInfo const> client_;
    std::shared_ptr<PeerInfo const> const* peer_ = nullptr;  // the carrier's, or kept_peer_
    std::shared_ptr<PeerInfo const> kept_peer_;
    std::optional<LoggingLevel> log_level_;
    TimePoint received_;

    bool in_use_ = false;
    bool answered_ = false;
    bool outlives_message_ = false;
    bool decoded_ = false;                         // the operation has decoded its arguments
    DispatchStats* counted_ = nullptr;             // set while the call is counted as running
    std::atomic<DispatchStats*> stats_ = nullptr;  // of the handler
    bool in_place_ = false;                        // the handler runs inside the engine
    TimePoint started_{};                          // when the handler started, if it is measured
    std::atomic<bool> cancelled_ = false;
    std::optional<std::stop_source> stop_;  // created by stop_token(); guarded by messages_mutex_
    std::shared_ptr<BlockingWait> wait_;    // set during wait(); guarded by messages_mutex_
    std::shared_ptr<Call> self_;            // set while the handler runs without its loop
    std::shared_ptr<boost::asio::cancellation_signal> signal_;  // of the coroutine
    bool task_running_ = false;
    bool task_counted_ = false;                   // counted in Calls::tasks_
    boost::asio::any_io_executor task_executor_;  // runs the coroutine; null: home_'s executor
    std::exception_ptr failure_;                  // the exception that the handler threw
    std::function<void(std::exception_ptr)> after_filters_;
    std::shared_ptr<Settings const> chain_;  // the settings with the middleware around the call
    RawJson chain_result_;

    std::mutex messages_mutex_;  // guards said_ and the members marked "guarded"
    std::vector<HandlerMessage> messages_;
    std::atomic<bool> has_messages_ = false;
    bool timed_ = false;         // the call is in Calls::deadlines_
    bool ends_in_turn_ = false;  // send messages with the answer; guarded by messages_mutex_
};

}  // namespace detail

using detail::Call;

/// The owner of the calls of an executor.
class CallsOwner {
public:
    /// Called when a call that was expected to end before the next message is read continues on
    /// another thread.
    virtual void on_call_goes_on(Call& /*call*/) {}

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

    std::size_t in_use() const noexcept { return calls_.size() - free_.size(); }
    /// Whether no call is in progress and no client has been sent to a web page (see add_visit()).
    bool is_suspended() const noexcept {
        return in_use() == 0 && tasks_ == 0 && url_elicitations_.empty();
    }
    /// Completes when no handler coroutine is running any more, or at `until`.
    Task<> wait_for_tasks(TimePoint until);
    /// Completes when no call is in use any more, or at `until`.
    Task<> wait_until_idle(TimePoint until);
    /// Called when the connection has ended: ends all waits for calls.
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
    /// Records that the client was sent to a web page under this id (a "visit"). If there are too
    /// many records, the oldest is dropped.
    void add_visit(std::string id);
    /// Removes the record for this id. Returns false if there is no such record.
    bool take_visit(std::string const& id);
    /// Whether the rate limit allows one more log message now.
    bool may_log(LoggingLevel level);

    /// While this is on, calls do not flush their answers, because the carrier does.
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
    std::size_t tasks_ = 0;  // coroutines that run on the executor
    runtime::RareEvent idle_;
    bool ended_ = false;
    bool batching_ = false;
    std::shared_ptr<Settings const> settings_;
    std::uint64_t settings_generation_ = 0;
    TokenBucket log_bucket_{Rate{100, 200}};
    std::vector<std::string> url_elicitations_;
};

inline Settings const& Call::home_settings() {
    return home_->settings();
}

}  // namespace lanyard::server

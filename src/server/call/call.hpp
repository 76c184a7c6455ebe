// Call: one request for a feature while it is being served.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "lanyard/server/context.hpp"
#include "runtime/lane_code.hpp"
#include "server/call/call_cancellation.hpp"
#include "server/call/call_request.hpp"
#include "server/call/call_responder.hpp"
#include "server/call/calls.hpp"
#include "server/call/handler_messages.hpp"
#include "server/call/mrtr.hpp"
#include "server/call/tool_operation.hpp"
#include "server/catalog/operation.hpp"
#include "server/core/client_log_limit.hpp"

namespace lanyard::server {

namespace detail {

using lanyard::detail::AskedQuestion;

/// One request that is being served. The Call object belongs to the executor of its Calls object;
/// the handler may run on another thread. If the handler runs on the loop's own thread and blocks,
/// another thread takes over the loop.
class Call final : public std::enable_shared_from_this<Call>,
                   public runtime::UserWork,
                   public runtime::LaneCode {
public:
    Call(Calls& home, std::uint32_t slot);
    ~Call() { uncount(); }
    Call(Call const&) = delete;
    Call& operator=(Call const&) = delete;

    // The following functions are for the code that starts the call. They must run on the executor.

    /// `target` is the name or URI of the feature. Pass either a view that stays valid as long as
    /// the message does, or the result of keep().
    void begin(CallResponder& responder, Arrival const& arrival, std::string_view target) {
        responder_ = &responder;
        request_.begin(arrival, target);
        in_use_ = true;
    }
    std::string_view keep(std::string_view target) { return request_.keep(target); }
    /// The operation of a tool call, stored in this object so that it needs no allocation.
    ToolOperation& tool() noexcept { return tool_; }
    void run_tool(json::View params);
    void run(std::unique_ptr<Operation> operation, json::View params);
    Context& context() noexcept { return context_; }
    bool is_filtered() { return !home_settings().filters.empty(); }
    /// Runs an operation that a coroutine of this call has looked up (see LateOperation). Applies
    /// the timeout and the concurrency limit of the operation's handler.
    Task<> perform_found(Operation& operation);
    /// Ends the request with an error.
    void refuse(wire::WireError const& error);
    /// Counts the parameters towards the limit on the size of pending requests, until the call
    /// ends. If they would exceed the limit, ends the request with an error and returns false.
    bool reserve_bytes() { return request_.params().size() <= small_params || reserve_large(); }

    /// Releases this object without an answer. The code that calls dismiss() must answer the
    /// request in another way.
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
    /// Whether the handler waits in the loop's queue and will run before another message is read.
    bool runs_in_turn() const noexcept { return queued() && !request_.outlives_message(); }

    // The handler calls the following functions through Context.

    CallRequest const& request() const noexcept { return request_; }
    std::stop_token stop_token() { return cancellation_.token(); }
    bool cancelled() const noexcept { return cancellation_.requested(); }
    void report(rpc::ProgressUpdate update);
    void log(LoggingLevel level, Json data, std::string_view logger);
    void release_stream();
    Task<std::vector<InputResponse>> ask(std::vector<AskedQuestion> questions);
    InputRounds& rounds() noexcept { return rounds_; }
    /// Runs the task and blocks the calling thread until it ends.
    void wait(Task<> task);
    /// Runs the function in a worker thread.
    Task<> run_in_worker(std::function<void()> function);

private:
    friend Calls;
    friend class runtime::Loop;

    class LiveQuestion;

    // Parameters up to this size do not count towards the limit on the size of pending requests.
    static constexpr std::size_t small_params = std::size_t{64} * 1024;

    Settings const& home_settings();
    bool reserve_large();

    // These functions run the handler (dispatch.cpp).
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
    bool has_blocked() const noexcept override;
    void on_blocked() noexcept override;
    void run_task(RunOptions const& options, Task<> task);
    /// Prepares the result if the coroutine has ended without an exception. Returns the exception
    /// of the coroutine (`failure`) or of the preparation; null if there was none.
    std::exception_ptr prepared(std::exception_ptr failure) noexcept;
    void watch_time(RunOptions const& options);
    bool submit(std::function<void()> job, Settings const& settings);
    void work() noexcept;
    bool count(RunOptions const& options);
    Task<> perform(Operation& operation);
    Task<> leave_loop();
    Task<> run_started();
    Task<> run_chain();
    Task<RawJson> run_chain_from(std::size_t index);
    Task<RawJson> run_innermost();
    /// Copies the parts of the message that the call needs, so that the call can outlive the
    /// message.
    void outlive_message();
    /// Same as outlive_message(), but does not copy the message itself, because a handler whose
    /// arguments are decoded does not use the message.
    void outlive_turn();
    void uncount() noexcept;

    // These functions end the call and send its messages (call.cpp).
    void end(std::exception_ptr const& failure);
    void end_filters(std::exception_ptr const& failure);
    void answer(std::exception_ptr const& failure);
    void answer_failure(std::exception_ptr const& failure);
    void ask_by_result();
    void release();
    void post(HandlerMessage message);
    void post_messages();
    void flush_messages() {
        if (!messages_.empty()) flush_all_messages();
    }
    void flush_all_messages();
    void send_log(HandlerLog const& message);

    // These functions ask the client (call_questions.cpp).
    void check_askable(InputRequest const& question) const;
    Task<std::vector<InputResponse>> ask_live(std::vector<AskedQuestion> questions);

    // The coroutine of a call: the handler itself, or the middleware or filters around it.
    struct HandlerTask {
        std::shared_ptr<boost::asio::cancellation_signal> signal;
        // The executor that runs the coroutine. If empty, the executor of home_ runs it.
        boost::asio::any_io_executor executor;
        bool running = false;
        // Whether the coroutine is counted in Calls::tasks_.
        bool counted = false;
    };

    Calls* home_;
    std::shared_ptr<ServerCore> core_;
    std::shared_ptr<Mailbox> mailbox_;
    runtime::Loop* loop_;
    std::uint32_t slot_;
    CallResponder* responder_ = nullptr;
    PendingBytes::Reservation reservation_;
    CallRequest request_;
    Operation* operation_ = nullptr;
    std::unique_ptr<Operation> owned_;
    ToolOperation tool_;
    Context context_;
    InputRounds rounds_;
    CallCancellation cancellation_;
    HandlerMessages messages_;
    ClientLogLimit log_limit_;

    bool in_use_ = false;
    bool answered_ = false;
    bool decoded_ = false;              // whether the operation has decoded its arguments
    bool in_place_ = false;             // whether the handler must not wait, see wait()
    bool timed_ = false;                // whether the call is in Calls::deadlines_
    DispatchStats* counted_ = nullptr;  // set while the call is counted as running
    std::atomic<DispatchStats*> stats_ = nullptr;  // the statistics of the code that runs
    TimePoint started_{};                          // when the handler started, if it is measured
    std::shared_ptr<Call> self_;  // keeps this object alive while its handler is blocked
    std::exception_ptr failure_;  // the exception that the handler threw
    HandlerTask task_;
    std::function<void(std::exception_ptr)> after_filters_;
    // The settings that contain the middleware around the handler; null if there is no middleware.
    std::shared_ptr<Settings const> chain_;
    RawJson chain_result_;
};

}  // namespace detail

inline Settings const& Call::home_settings() {
    return home_->settings();
}

}  // namespace lanyard::server

// Decides where a handler runs: inline, on a worker thread or as a coroutine, with or without
// middleware.
#include <type_traits>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/at_end.hpp"
#include "lanyard/protocol/methods.hpp"
#include "runtime/cancelled_by.hpp"
#include "runtime/lane.hpp"
#include "server/call/call.hpp"

namespace lanyard::server {

namespace {

using namespace std::chrono_literals;

// The number of consecutive fast calls after which a handler counts as fast, until its next slow
// call.
constexpr std::uint32_t proof = 5;
// A call on a worker thread that takes at most this time is fast.
constexpr Duration fast = 200us;
// An inline call that takes longer than this is slow, because it delays other requests.
constexpr Duration too_long = 1ms;

// Records the duration of a call that ran on a worker thread.
void note_speed(DispatchStats& stats, Duration taken) noexcept {
    if (taken > fast) {
        stats.fast_calls.store(0, std::memory_order_relaxed);
    } else {
        stats.fast_calls.fetch_add(1, std::memory_order_relaxed);
    }
}

// While this object exists, `current` points to `stats`, so that on_blocked() records a blocked
// loop in these statistics. Does nothing if `stats` is null.
class StatsInUse {
public:
    StatsInUse(std::atomic<DispatchStats*>& current, DispatchStats* stats) noexcept
        : current_(current), before_(current.load(std::memory_order_relaxed)) {
        if (stats != nullptr) current_.store(stats, std::memory_order_relaxed);
    }
    ~StatsInUse() { current_.store(before_, std::memory_order_relaxed); }
    StatsInUse(StatsInUse const&) = delete;
    StatsInUse& operator=(StatsInUse const&) = delete;

private:
    std::atomic<DispatchStats*>& current_;
    DispatchStats* before_;
};

ToolError busy() {
    return ToolError("this tool is busy with other calls; try again later",
                     ToolErrorKind::too_many_concurrent);
}

}  // namespace

inline bool Call::may_run_inline(RunOptions const& options, Settings const& settings) const {
    auto* const stats = options.stats;
    // An operation without statistics runs no user code, so it may run inline.
    if (stats == nullptr) return true;
    if (stats->lost.load(std::memory_order_relaxed) || settings.handler_executor) return false;
    bool const here = options.dispatch == Dispatch::inline_ ||
                      (options.dispatch == Dispatch::adaptive &&
                       stats->fast_calls.load(std::memory_order_relaxed) >= proof);
    // A loop runs a handler only if another thread can take over the loop while the handler blocks.
    return here && (loop_ == nullptr || loop_->guards());
}

void Call::run(std::unique_ptr<Operation> operation, json::View params) {
    owned_ = std::move(operation);
    run(*owned_, params);
}

void Call::run_tool(json::View params) {
    run(tool_, params);
}

template <class AnyOperation>
void Call::run(AnyOperation& operation, json::View params) {
    if (!reserve_bytes()) return;
    operation_ = &operation;
    auto const options = operation.run_options();
    if (options.max_concurrent != 0 && !admit(options)) return;
    stats_.store(options.stats, std::memory_order_relaxed);
    auto const& settings = home_->settings();
    if (!settings.middlewares.empty()) {
        chain_ = home_->shared_settings();
        outlive_message();
        run_task(options, run_chain());
    } else if (operation.is_task()) {
        outlive_message();
        try {
            // The start() of a tool runs no user code before its coroutine is resumed. Other
            // operations may run user code in start(), so run_started() calls it inside a
            // coroutine.
            constexpr bool is_tool = std::is_same_v<AnyOperation, ToolOperation>;
            run_task(options, is_tool ? operation.start(params, context_) : run_started());
        } catch (...) {
            end(std::current_exception());
        }
    } else if (!may_run_inline(options, settings)) {
        run_elsewhere(options);
    } else if (loop_ != nullptr && options.stats != nullptr) {
        run_on_loop(operation, params);
    } else {
        run_in_place(options, params);
    }
}

bool Call::admit(RunOptions const& options) {
    if (count(options)) return true;
    end(std::make_exception_ptr(busy()));
    return false;
}

// Counts the call as running if its handler has a concurrency limit. Returns false if the limit is
// already reached.
bool Call::count(RunOptions const& options) {
    if (options.max_concurrent == 0) return true;
    if (options.stats->running.fetch_add(1) < options.max_concurrent) {
        counted_ = options.stats;
        return true;
    }
    options.stats->running.fetch_sub(1);
    core_->limits().add(&LimitCounts::busy_tools);
    return false;
}

void Call::uncount() noexcept {
    if (counted_ != nullptr) counted_->running.fetch_sub(1);
    counted_ = nullptr;
}

// Runs the operation directly, with engine code on the stack. Used if the operation runs no user
// code, or if the thread belongs to the user.
void Call::run_in_place(RunOptions const& options, json::View params) {
    bool const measured = options.stats != nullptr && options.dispatch == Dispatch::adaptive;
    auto const started = measured ? home_->now() : TimePoint();
    in_place_ = true;
    std::exception_ptr failure;
    try {
        operation_->decode(params);
        operation_->call(context_);
        operation_->prepare(core_->stamp(request_.version()));
    } catch (...) {
        failure = std::current_exception();
    }
    if (measured && home_->now() - started > too_long) {
        options.stats->fast_calls.store(0, std::memory_order_relaxed);
    }
    end(failure);
}

// The following functions run a handler on a loop. The handler runs when no engine code is on the
// stack (the loop's shallow point, see runtime/loop.hpp), so that another thread can take over the
// loop if the handler blocks.

template <class AnyOperation>
void Call::run_on_loop(AnyOperation& operation, json::View params) {
    try {
        operation.decode(params);
    } catch (...) {
        end(std::current_exception());
        return;
    }
    decoded_ = true;
    if (operation.takes_context()) {
        outlive_message();
        messages_.send_with_answer();
    } else if (!loop_->in_turn()) {
        // The loop may read another message before the handler has run. That would invalidate this
        // message.
        outlive_turn();
    }
    loop_->push(*this);
}

void Call::run_ready(runtime::Loop& loop) {
    // While this call was queued, another call may have shown that the handler blocks. The handler
    // then runs on another thread.
    auto const& stats = *stats_.load(std::memory_order_relaxed);
    if (!stats.lost.load(std::memory_order_relaxed) && loop.guards()) {
        loop.run_user(*this);
        return;
    }
    auto& home = *home_;
    outlive_turn();
    messages_.send_at_once();
    run_elsewhere(operation_->run_options());
    if (in_use_) home.owner_.on_call_continues(*this);
}

void Call::invoke() noexcept {
    bool const measured = loop_->measures();
    if (measured) started_ = core_->time().now();
    try {
        operation_->call(context_);
    } catch (...) {
        failure_ = std::current_exception();
    }
    if (measured && core_->time().now() - started_ > too_long) {
        stats_.load()->fast_calls.store(0, std::memory_order_relaxed);
    }
}

void Call::finish() {
    std::exception_ptr failure;
    if (failure_) {
        failure.swap(failure_);
    } else {
        try {
            operation_->prepare(core_->stamp(request_.version()));
        } catch (...) {
            failure = std::current_exception();
        }
    }
    end(failure);
}

void Call::on_lost() noexcept {
    self_ = shared_from_this();
    stats_.load()->lost.store(true, std::memory_order_relaxed);
    outlive_turn();
    watch_time(operation_->run_options());
    home_->owner_.on_call_continues(*this);
    if (messages_.send_at_once()) post_messages();
}

void Call::finish_lost() noexcept {
    auto const self = std::move(self_);
    post_end();
}

// Runs on the thread that has run the handler. That thread does not own the loop, so it posts the
// end of the call.
void Call::post_end() noexcept {
    failure_ = prepared(std::move(failure_));
    uncount();
    auto const mailbox = mailbox_;
    mailbox->post([self = shared_from_this()] {
        auto const failure = std::exchange(self->failure_, nullptr);
        self->end(failure);
    });
}

bool Call::submit(std::function<void()> job, Settings const& settings) {
    if (settings.handler_executor) {
        boost::asio::post(settings.handler_executor, std::move(job));
        return true;
    }
    bool const taken = core_->workers().submit(client_name(request_.peer()), std::move(job));
    if (!taken) core_->limits().add(&LimitCounts::no_workers);
    return taken;
}

void Call::run_elsewhere(RunOptions const& options) {
    if (!request_.outlives_message() && !decoded_) outlive_message();
    watch_time(options);
    auto const job = [self = shared_from_this()] { self->work(); };
    if (submit(job, home_->settings())) return;
    answered_ = true;
    responder_->fail(wire::translate(wire::Condition::overloaded, request_.version()));
    end(nullptr);
}

// Runs on a worker thread.
void Call::work() noexcept {
    auto const started = core_->time().now();
    try {
        if (!decoded_) {
            operation_->decode(request_.parse_params());
            request_.drop_parsed();
        }
        operation_->call(context_);
    } catch (...) {
        failure_ = std::current_exception();
    }
    if (auto* const stats = stats_.load()) note_speed(*stats, core_->time().now() - started);
    post_end();
}

void Call::run_filters(Task<> task, std::function<void(std::exception_ptr)> then) {
    outlive_message();
    after_filters_ = std::move(then);
    run_task({}, std::move(task));
}

bool Call::has_blocked() const noexcept {
    auto const* const stats = stats_.load(std::memory_order_relaxed);
    return stats != nullptr && stats->lost.load(std::memory_order_relaxed);
}

void Call::on_blocked() noexcept {
    if (auto* const stats = stats_.load()) stats->lost.store(true, std::memory_order_relaxed);
}

void Call::run_task(RunOptions const& options, Task<> task) {
    watch_time(options);
    // The middleware and the filters run first. perform() replaces stats_ by the statistics of the
    // handler while the handler runs.
    bool const is_common = chain_ || options.stats == nullptr;
    stats_ = is_common ? &core_->common_stats() : options.stats;
    task_.running = true;
    task_.signal = std::make_shared<boost::asio::cancellation_signal>();
    auto const slot = task_.signal->slot();
    task_.executor = home_->settings().handler_executor;
    if (!task_.executor && loop_ != nullptr) {
        task_.executor = runtime::Lane::Executor(
            std::make_shared<runtime::Lane>(loop_->shared_from_this(), weak_from_this()));
        task_.counted = true;
    }
    if (task_.executor) {
        if (task_.counted) ++home_->tasks_;
        auto const done = [self = shared_from_this()](std::exception_ptr thrown) {
            auto const failure = self->prepared(std::move(thrown));
            self->mailbox_->post([self, failure] { self->end(failure); });
        };
        boost::asio::co_spawn(task_.executor, std::move(task), runtime::cancelled_by(slot, done));
        return;
    }
    task_.counted = true;
    ++home_->tasks_;
    auto const done = [self = shared_from_this()](std::exception_ptr thrown) {
        self->end(self->prepared(std::move(thrown)));
    };
    boost::asio::co_spawn(home_->executor(), std::move(task), runtime::cancelled_by(slot, done));
}

std::exception_ptr Call::prepared(std::exception_ptr failure) noexcept {
    // Two cases need no preparation: with middleware, the innermost step of the chain has already
    // prepared the result; a coroutine that only runs filters has no operation, and so no result.
    if (failure || chain_ || operation_ == nullptr) return failure;
    try {
        operation_->prepare(core_->stamp(request_.version()));
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

void Call::watch_time(RunOptions const& options) {
    if (options.timeout <= Duration(0)) return;
    timed_ = true;
    home_->deadlines_.add(slot_, after(request_.received(), options.timeout));
    if (home_->rearm_) home_->rearm_();
}

Task<> Call::run_started() {
    co_await operation_->start(request_.parse_params(), context_);
}

Task<> Call::run_chain() {
    chain_result_ = co_await run_chain_from(0);
}

Task<RawJson> Call::run_chain_from(std::size_t index) {
    if (index == chain_->middlewares.size()) return run_innermost();
    Next next = [this, index] { return run_chain_from(index + 1); };
    return chain_->middlewares[index](context_, std::move(next));
}

Task<RawJson> Call::run_innermost() {
    if (!task_.executor && home_ == nullptr) throw Error(Errc::closed, "the connection is closed");
    co_await perform(*operation_);
    operation_->prepare(core_->stamp(request_.version()));
    std::string text;
    operation_->write(text, core_->stamp(request_.version()));
    co_return RawJson::trusted(std::move(text));
}

Task<> Call::perform_found(Operation& operation) {
    auto const options = operation.run_options();
    if (!count(options)) throw busy();
    if (task_.executor) {
        // watch_time() is posted, because only the connection's executor may use the deadlines. The
        // end of the call is posted later, so it cannot be processed before watch_time().
        mailbox_->post([self = shared_from_this(), options] {
            if (self->home_ != nullptr) self->watch_time(options);
        });
    } else {
        watch_time(options);
    }
    return perform(operation);
}

// Runs the handler of the operation in a coroutine of this call.
Task<> Call::perform(Operation& operation) {
    auto const settings = chain_ ? chain_ : core_->settings();
    auto const options = operation.run_options();
    StatsInUse const in_use(stats_, options.stats);
    if (operation.is_task()) {
        if (has_blocked()) co_await leave_loop();
        co_await operation.start(request_.parse_params(), context_);
    } else if (settings->handler_executor || may_run_inline(options, *settings)) {
        in_place_ = !task_.executor;
        operation.decode(request_.parse_params());
        operation.call(context_);
    } else {
        auto const job = [this, &operation, stats = options.stats] {
            auto const started = core_->time().now();
            operation.decode(request_.parse_params());
            request_.drop_parsed();
            operation.call(context_);
            if (stats != nullptr) note_speed(*stats, core_->time().now() - started);
        };
        co_await run_in_worker(job);
    }
}

// Continues the coroutine of this call. If the coroutine runs on a runtime::Lane (an executor that
// leaves the loop once user code has blocked) and has_blocked() is true, the coroutine continues on
// a spare thread.
Task<> Call::leave_loop() {
    auto const executor = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
}

Task<> Call::run_in_worker(std::function<void()> function) {
    struct Waiting {
        // The event belongs to this coroutine, because it must not outlive its executor, and the
        // worker may return later. Null when the coroutine has ended. Used on the executor.
        runtime::Event* done = nullptr;
        bool is_done = false;
        std::exception_ptr failure{};
    };
    // `function` uses this Call object until `function` returns, so this coroutine must not end
    // earlier. Therefore `co_await` must not throw here if the call is cancelled.
    bool const throws = co_await boost::asio::this_coro::throw_if_cancelled();
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    auto const executor = co_await boost::asio::this_coro::executor;
    runtime::Event done(executor);
    auto const waiting = std::make_shared<Waiting>();
    waiting->done = &done;
    AtEnd const ended([&waiting] { waiting->done = nullptr; });
    auto const job = [self = shared_from_this(), waiting, function = std::move(function)] {
        try {
            function();
        } catch (...) {
            waiting->failure = std::current_exception();
        }
        auto const wake = [waiting] {
            waiting->is_done = true;
            if (waiting->done != nullptr) waiting->done->notify();
        };
        if (self->task_.executor) {
            runtime::post_always(self->task_.executor, wake);
        } else {
            self->mailbox_->post(wake);
        }
    };
    if (!submit(job, *core_->settings())) {
        co_await boost::asio::this_coro::throw_if_cancelled(throws);
        throw Error(Errc::busy, "too many calls are waiting for a worker");
    }
    while (!waiting->is_done) co_await done.wait();
    co_await boost::asio::this_coro::throw_if_cancelled(throws);
    if (waiting->failure) std::rethrow_exception(waiting->failure);
}

void Call::outlive_message() {
    outlive_turn();
    request_.copy_message();
}

void Call::outlive_turn() {
    if (request_.outlives_message()) return;
    tool_.hold();
    request_.keep_peer();
    if (!decoded_ || operation_ != &tool_ || tool_.takes_context()) return;
    request_.replace_message(methods::CallTool::info.name, tool_.name());
}

}  // namespace lanyard::server

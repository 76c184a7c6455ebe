// Where a handler runs: inline, on a worker or as a coroutine, with middleware around it or not.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "server/call.hpp"

namespace lanyard::server {

namespace {

using namespace std::chrono_literals;

// A handler is known to be fast after this many fast calls in a row, and no longer after a slow
// one.
constexpr std::uint32_t proof = 5;
constexpr Duration fast = 200us;

// Of a call on a worker.
void note_speed(DispatchStats& stats, Duration taken) noexcept {
    if (taken > fast) {
        stats.fast_calls.store(0, std::memory_order_relaxed);
    } else {
        stats.fast_calls.fetch_add(1, std::memory_order_relaxed);
    }
}

}  // namespace

void Call::run(std::unique_ptr<Operation> operation, json::View params) {
    owned_ = std::move(operation);
    run(*owned_, params);
}

void Call::run(Operation& operation, json::View params) {
    operation_ = &operation;
    auto const options = operation.run_options();
    if (!admit(options)) return;
    if (!home_->settings().middlewares.empty()) {
        chain_ = home_->shared_settings();
        outlive_message();
        run_task(options, run_chain());
    } else if (operation.is_task()) {
        outlive_message();
        try {
            run_task(options, operation.start(params, context_));
        } catch (...) {
            end(std::current_exception());
        }
    } else if (may_run_inline(options)) {
        run_inline(options, params);
    } else {
        run_elsewhere(options);
    }
}

bool Call::admit(RunOptions const& options) {
    if (options.max_concurrent == 0) return true;
    if (options.stats->running.fetch_add(1) < options.max_concurrent) {
        counted_ = options.stats;
        return true;
    }
    options.stats->running.fetch_sub(1);
    core_->limits().add(&LimitCounts::busy_tools);
    end(std::make_exception_ptr(ToolError("this tool is busy with other calls; try again later",
                                          ToolErrorKind::too_many_concurrent)));
    return false;
}

void Call::uncount() noexcept {
    if (counted_ != nullptr) counted_->running.fetch_sub(1);
    counted_ = nullptr;
}

bool Call::may_run_inline(RunOptions const& options) const noexcept {
    // Without statistics there is no handler of the user's involved.
    if (options.stats == nullptr) return true;
    if (home_->settings().handler_executor) return false;
    switch (options.dispatch) {
        case Dispatch::inline_:
            return true;
        case Dispatch::blocking:
            return false;
        case Dispatch::adaptive:
            break;
    }
    return options.stats->fast_calls.load(std::memory_order_relaxed) >= proof;
}

void Call::run_inline(RunOptions const& options, json::View params) {
    std::exception_ptr failure;
    try {
        operation_->call(params, context_);
        operation_->prepare(core_->stamp(version_));
    } catch (...) {
        failure = std::current_exception();
    }
    if (home_->inline_timer().ran_too_long() && options.dispatch == Dispatch::adaptive) {
        options.stats->fast_calls.store(0, std::memory_order_relaxed);
    }
    end(failure);
}

bool Call::submit(std::function<void()> job) {
    if (auto const& executor = home_->settings().handler_executor) {
        boost::asio::post(executor, std::move(job));
        return true;
    }
    bool const taken = core_->workers().submit(std::move(job));
    if (!taken) core_->limits().add(&LimitCounts::no_workers);
    return taken;
}

void Call::run_elsewhere(RunOptions const& options) {
    outlive_message();
    stop_.emplace();
    watch_time(options);
    if (submit([self = shared_from_this()] { self->work(); })) return;
    answered_ = true;
    exchange_->fail(wire::translate(wire::Condition::overloaded, version_));
    end(nullptr);
}

// In another thread; nothing but the handler's own touches the call meanwhile.
void Call::work() noexcept {
    auto const options = operation_->run_options();
    auto const started = core_->time().now();
    try {
        operation_->call(parse_params(), context_);
        operation_->prepare(core_->stamp(version_));
    } catch (...) {
        failure_ = std::current_exception();
    }
    if (options.stats != nullptr) {
        note_speed(*options.stats, core_->time().now() - started);
    }
    uncount();
    auto const mailbox = mailbox_;
    mailbox->post([self = shared_from_this()] {
        auto const failure = std::exchange(self->failure_, nullptr);
        self->end(failure);
    });
}

void Call::run_task(RunOptions const& options, Task<> task) {
    stop_.emplace();
    watch_time(options);
    task_running_ = true;
    signal_ = std::make_shared<boost::asio::cancellation_signal>();
    auto const slot = signal_->slot();
    if (auto const& executor = home_->settings().handler_executor) {
        task_executor_ = executor;
        auto const done = [self = shared_from_this()](std::exception_ptr thrown) {
            auto const failure = self->prepared(std::move(thrown));
            self->mailbox_->post([self, failure] { self->end(failure); });
        };
        boost::asio::co_spawn(executor, std::move(task),
                              boost::asio::bind_cancellation_slot(slot, done));
        return;
    }
    ++home_->tasks_;
    auto const done = [self = shared_from_this()](std::exception_ptr thrown) {
        self->end(self->prepared(std::move(thrown)));
    };
    boost::asio::co_spawn(home_->executor(), std::move(task),
                          boost::asio::bind_cancellation_slot(slot, done));
}

std::exception_ptr Call::prepared(std::exception_ptr failure) noexcept {
    // Behind middleware the innermost step has done it.
    if (failure || chain_) return failure;
    try {
        operation_->prepare(core_->stamp(version_));
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

void Call::watch_time(RunOptions const& options) {
    if (options.timeout <= Duration(0)) return;
    home_->deadlines_.add(slot_, rpc::after(received_, options.timeout));
    if (home_->rearm_) home_->rearm_();
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
    if (!task_executor_ && home_ == nullptr) throw Error(Errc::closed, "the connection is closed");
    auto const options = operation_->run_options();
    if (operation_->is_task()) {
        co_await operation_->start(parse_params(), context_);
    } else if (task_executor_ || may_run_inline(options)) {
        operation_->call(parse_params(), context_);
    } else {
        struct Waiting {
            explicit Waiting(boost::asio::any_io_executor executor) : done(std::move(executor)) {}
            runtime::Event done;
            bool is_done = false;
            std::exception_ptr failure;
        };
        // The handler uses this call until it returns, so the coroutine must not unwind before.
        co_await boost::asio::this_coro::reset_cancellation_state(
            boost::asio::disable_cancellation());
        auto const waiting = std::make_shared<Waiting>(home_->executor());
        auto const job = [self = shared_from_this(), waiting] {
            auto const started = self->core_->time().now();
            try {
                self->operation_->call(self->parse_params(), self->context_);
            } catch (...) {
                waiting->failure = std::current_exception();
            }
            if (auto* const stats = self->operation_->run_options().stats) {
                note_speed(*stats, self->core_->time().now() - started);
            }
            self->mailbox_->post([waiting] {
                waiting->is_done = true;
                waiting->done.notify();
            });
        };
        if (!submit(job)) throw Error(Errc::busy, "too many calls are waiting for a worker");
        while (!waiting->is_done) co_await waiting->done.wait();
        if (waiting->failure) std::rethrow_exception(waiting->failure);
    }
    operation_->prepare(core_->stamp(version_));
    std::string text;
    operation_->write(text, core_->stamp(version_));
    co_return RawJson::trusted(std::move(text));
}

void Call::outlive_message() {
    outlives_message_ = true;
    tool_.hold();
    kept_peer_ = *peer_;
    peer_ = &kept_peer_;
    message_.clear();
    message_.reserve(request_id_.size() + method_.size() + params_.size() + target_.size());
    for (auto* const part : {&request_id_, &method_, &params_, &target_}) {
        auto const begin = message_.size();
        message_.append(*part);
        *part = std::string_view(message_).substr(begin);
    }
}

json::View Call::parse_params() {
    if (params_.empty()) return wire::empty_object();
    // The text was parsed before.
    return *document_.parse(params_);
}

}  // namespace lanyard::server

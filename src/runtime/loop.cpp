#include "runtime/loop.hpp"

#include <system_error>
#include <thread>

#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

namespace lanyard::runtime {

namespace {

// The loop to which this thread belongs; null if there is none.
thread_local Loop const* current = nullptr;

}  // namespace

/// Lets Loop::of() find the loop of an executor.
class Loop::Service final : public boost::asio::execution_context::service {
public:
    using key_type = Service;
    static boost::asio::execution_context::id id;

    explicit Service(boost::asio::execution_context& context) : service(context) {}
    Service(boost::asio::execution_context& context, Loop& owner)
        : service(context), loop(&owner) {}

    Loop* loop = nullptr;

private:
    void shutdown() noexcept override {}
};

boost::asio::execution_context::id Loop::Service::id;

// The concurrency hint 2 allows several threads to run the context.
Loop::Loop() : context_(2) {
    queue_.next_ = queue_.previous_ = &queue_;
    boost::asio::make_service<Service>(context_, *this);
}

Loop::~Loop() {
    queue_.next_ = queue_.previous_ = nullptr;
}

void Loop::limit_threads(std::size_t max) {
    std::lock_guard const lock(mutex_);
    max_threads_ = max;
}

Loop* Loop::of(boost::asio::any_io_executor const& executor) noexcept {
    if (!executor) return nullptr;
    auto& context = boost::asio::query(executor, boost::asio::execution::context);
    if (!boost::asio::has_service<Service>(context)) return nullptr;
    return boost::asio::use_service<Service>(context).loop;
}

// The ready queue.

void Loop::push(Ready& item) {
    if (item.queued()) return;
    item.previous_ = queue_.previous_;
    item.next_ = &queue_;
    queue_.previous_->next_ = &item;
    queue_.previous_ = &item;
    if (!in_turn_) schedule();
}

void Loop::schedule() {
    if (scheduled_) return;
    scheduled_ = true;
    boost::asio::post(context_, [this] {
        scheduled_ = false;
        go_on();
    });
}

// Runs the ready items, then one step of the current round, and repeats this until no item is ready
// and the round is over.
void Loop::go_on() {
    for (;;) {
        while (has_ready()) {
            auto& item = *queue_.next_;
            item.unlink();
            item.run_ready(*this);
        }
        if (round_ == nullptr) return;
        if (!round_->step()) break;
    }
    round_ = nullptr;
    if (owned_round_) owned_round_.reset();
}

void Loop::end_lost(UserWork& work, LoopToken::Word entered) {
    // Waits until on_lost() has returned on the new owner's thread. finish_lost() must not be
    // called earlier.
    for (auto known = adopted_.load(); known < entered; known = adopted_.load()) {
        adopted_.wait(known);
    }
    work.finish_lost();
    {
        std::unique_lock lock(mutex_);
        // If the context has ended, waits until join() has shut it down. This thread is still
        // inside the context's run(), which it must not continue during the shutdown.
        if (ended_) changed_.wait(lock, [this] { return shut_down_; });
        --lost_;
    }
    changed_.notify_all();
    throw Lost();
}

// Threads.

bool Loop::start_thread(bool owner) {
    try {
        std::thread thread([self = shared_from_this(), owner] { self->work(owner); });
        thread.detach();
    } catch (std::exception const&) {
        return false;
    }
    ++threads_;
    return true;
}

// Makes sure that there is, or soon will be, a watch: a thread that takes the loop over if the
// thread that owns the loop is blocked in user code. Returns false if no thread is available.
bool Loop::provide_watch() {
    if (watch_wanted_) return true;
    watch_wanted_ = true;
    // Each queued job needs one of the idle threads. If there are more idle threads than queued
    // jobs, one of them can become the watch. Otherwise a new thread is started as the watch.
    if (idle_ > jobs_.size()) {
        changed_.notify_all();
    } else if (threads_ >= max_threads_ || !start_thread(false)) {
        watch_wanted_ = false;
    }
    guarded_ = watch_wanted_;
    return watch_wanted_;
}

bool Loop::start_watch() {
    std::lock_guard const lock(mutex_);
    return guarded_ || (!ended_ && provide_watch());
}

void Loop::wake_watch() {
    {
        std::lock_guard const lock(mutex_);
        asleep_ = false;
    }
    watch_wakes_.notify_one();
}

void Loop::start() {
    std::lock_guard const lock(mutex_);
    if (!start_thread(true)) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
}

bool Loop::runs_here() const noexcept {
    return current == this;
}

void Loop::join() {
    auto const failure = wait();
    shut_down();
    if (failure) std::rethrow_exception(failure);
}

std::exception_ptr Loop::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
    stops_ = true;
    watch_wakes_.notify_all();
    changed_.notify_all();
    changed_.wait(lock, [this] { return threads_ == lost_; });
    return failure_;
}

void Loop::shut_down() noexcept {
    round_ = nullptr;
    owned_round_.reset();
    context_.shutdown();
    std::unique_lock lock(mutex_);
    auto const dropped = std::exchange(jobs_, {});
    shut_down_ = true;
    lock.unlock();
    changed_.notify_all();
}

void Loop::wait_for_handlers(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [this] { return lost_ == 0; });
}

void Loop::run_elsewhere(std::function<void()> job) {
    std::lock_guard const lock(mutex_);
    jobs_.push_back(std::move(job));
    auto const taken = jobs_.size() + (watch_wanted_ ? 1 : 0);
    if (idle_ < taken && threads_ < max_threads_) start_thread(false);
    changed_.notify_all();
}

// The main function of every thread of the loop. At any time, a thread owns the loop, is the watch,
// runs a job, or waits as a spare thread.
void Loop::work(bool owner) {
    current = this;
    for (;;) {
        if (owner) {
            bool const ended = own();
            std::lock_guard const lock(mutex_);
            ended_ = ended_ || ended;
        }
        std::unique_lock lock(mutex_);
        owner = false;
        if (ended_) changed_.notify_all();
        ++idle_;
        changed_.wait(lock, [this] { return ended_ || watch_wanted_ || !jobs_.empty(); });
        --idle_;
        if (ended_) break;
        if (watch_wanted_) {
            watch_wanted_ = false;
            owner = watch(lock);
        } else {
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            ++lost_;
            lock.unlock();
            job();
            job = nullptr;
            lock.lock();
            --lost_;
            changed_.notify_all();
        }
    }
    std::unique_lock lock(mutex_);
    --threads_;
    lock.unlock();
    changed_.notify_all();
}

// Runs the context as its owner. Returns true if the context has ended, false if another thread
// owns the loop now.
bool Loop::own() {
    try {
        go_on();
        context_.run();
    } catch (Lost const&) {
        return false;
    } catch (...) {
        fail(std::current_exception());
    }
    return true;
}

void Loop::fail(std::exception_ptr failure) noexcept {
    {
        std::lock_guard const lock(mutex_);
        if (failure_) return;
        failure_ = failure;
    }
    context_.stop();
    if (report_) report_(failure);
}

// Watches the owner. Returns true if this thread has taken the loop over and owns it now, false if
// the context has ended.
bool Loop::watch(std::unique_lock<std::mutex>& lock) {
    LoopWatch watch;
    while (!ended_) {
        lock.unlock();
        auto word = token_.read();
        auto action = watch.look(word);
        while (action == LoopWatch::Action::wait || action == LoopWatch::Action::suspect) {
            measures_.store(action == LoopWatch::Action::suspect, std::memory_order_relaxed);
            // This sleep cannot be interrupted, so it delays join() by up to this interval.
            std::this_thread::sleep_for(LoopWatch::interval);
            if (stops_.load(std::memory_order_relaxed)) break;
            word = token_.read();
            action = watch.look(word);
        }
        lock.lock();
        if (action == LoopWatch::Action::take_over && token_.take(word)) {
            // This thread owns the loop now, so it no longer watches it. Until another thread
            // watches the loop, no user code runs on the loop.
            guarded_ = false;
            ++lost_;
            provide_watch();
            lock.unlock();
            running_->on_lost();
            adopted_ = word;
            adopted_.notify_all();
            return true;
        }
        if (action == LoopWatch::Action::sleep) {
            measures_.store(false, std::memory_order_relaxed);
            asleep_ = true;
            // No wake-up is lost: if the owner enters user code after asleep_ was set, the owner
            // wakes this thread. If the owner entered user code earlier, the token has changed,
            // which the next line detects.
            if (token_.read() != word) asleep_ = false;
            watch_wakes_.wait(lock, [this] { return !asleep_ || ended_; });
            asleep_ = false;
        }
    }
    return false;
}

}  // namespace lanyard::runtime

#include "lanyard/client/blocking.hpp"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/loop.hpp"

namespace lanyard::blocking {

namespace detail {

namespace {

class WaitingCalls;

// A call that a thread waits for. It ends once: when its task has ended, or when the loop fails.
class WaitingCall {
public:
    void end(std::exception_ptr const& failure) {
        if (ended_.test_and_set()) return;
        if (failure) {
            promise_.set_exception(failure);
        } else {
            promise_.set_value();
        }
    }
    std::future<void> result() { return promise_.get_future(); }

private:
    friend class WaitingCalls;

    std::atomic_flag ended_;
    std::promise<void> promise_;
    WaitingCall* next_ = nullptr;
};

// The calls that have not ended. If the loop fails, the tasks of the calls do not continue, so the
// calls end with the exception.
class WaitingCalls {
public:
    void add(WaitingCall& call) {
        std::lock_guard const lock(mutex_);
        if (failure_) std::rethrow_exception(failure_);
        call.next_ = std::exchange(first_, &call);
    }
    void remove(WaitingCall& call) noexcept {
        std::lock_guard const lock(mutex_);
        auto** at = &first_;
        while (*at != &call) at = &(*at)->next_;
        *at = call.next_;
    }
    void fail(std::exception_ptr const& failure) {
        std::lock_guard const lock(mutex_);
        failure_ = failure;
        for (auto* call = first_; call != nullptr; call = call->next_) call->end(failure);
    }

private:
    std::mutex mutex_;
    WaitingCall* first_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace

// Handlers run on threads of the loop. When a handler blocks its thread, the loop uses another
// thread (docs/design/loops.md).
struct BlockingLoop::Context {
    Context() {
        loop->on_failure([all = calls](std::exception_ptr const& failure) { all->fail(failure); });
    }

    std::shared_ptr<WaitingCalls> calls = std::make_shared<WaitingCalls>();
    std::shared_ptr<runtime::Loop> loop = std::make_shared<runtime::Loop>();
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
        boost::asio::make_work_guard(loop->context());
};

namespace {

// Waits until the loop has ended. Its failure has been reported to the callers.
void join(runtime::Loop& loop) noexcept {
    try {
        loop.join();
    } catch (...) {
        // See WaitingCalls.
    }
}

}  // namespace

BlockingLoop::BlockingLoop() : context_(std::make_unique<Context>()) {
    context_->loop->start();
}

BlockingLoop::~BlockingLoop() {
    context_->work.reset();
    auto const loop = context_->loop;
    if (loop->runs_here()) {
        // A handler has released the last client, so this code runs on a thread of the loop. Such a
        // thread cannot wait for the loop's end, so a separate thread does.
        try {
            std::thread([loop] { join(*loop); }).detach();
        } catch (std::exception const&) {
            // The threads of the loop end by themselves, and the last one destroys the loop.
        }
    } else {
        join(*loop);
    }
}

void BlockingLoop::run(Task<> task) {
    if (context_->loop->runs_here()) {
        throw Error(Errc::invalid_phase,
                    "a handler cannot make a blocking call: it would wait for itself");
    }
    // The call is shared with the loop's thread. Otherwise the waiting thread could destroy it
    // before the loop's thread has returned from end().
    auto const call = std::make_shared<WaitingCall>();
    auto end = call->result();
    auto const finish = [call](std::exception_ptr const& failure) { call->end(failure); };
    struct Listed {
        Listed(WaitingCalls& all, WaitingCall& one) : calls(all), call(one) { calls.add(call); }
        ~Listed() { calls.remove(call); }
        Listed(Listed const&) = delete;
        Listed& operator=(Listed const&) = delete;

        WaitingCalls& calls;
        WaitingCall& call;
    } const listed(*context_->calls, *call);
    boost::asio::co_spawn(context_->loop->context(), std::move(task), finish);
    end.get();
}

}  // namespace detail

struct Client::State {
    State(std::shared_ptr<detail::BlockingLoop> its_loop, lanyard::Client its_client, bool keeps_it)
        : loop(std::move(its_loop)), client(std::move(its_client)), keeps(keeps_it) {}
    ~State() {
        if (!keeps) return;
        client.close();
        try {
            loop->run(client.closed());
        } catch (std::exception const&) {
            // On a thread of the loop, run() throws. The client is then closed without waiting.
        }
    }
    State(State const&) = delete;
    State& operator=(State const&) = delete;

    std::shared_ptr<detail::BlockingLoop> loop;
    lanyard::Client client;
    bool keeps;
};

Client::Client(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Client client)
    : state_(std::make_shared<State>(std::move(loop), std::move(client), true)) {}

Client Client::borrowed(std::shared_ptr<detail::BlockingLoop> loop, lanyard::Client client) {
    return Client(std::make_shared<State>(std::move(loop), std::move(client), false));
}

lanyard::Client const& Client::async() const noexcept {
    return state_->client;
}

std::shared_ptr<detail::BlockingLoop> const& Client::loop() const noexcept {
    return state_->loop;
}

namespace {

template <class Source>
Client connect_to(std::unique_ptr<Source> source, ClientOptions const& options) {
    auto loop = std::make_shared<detail::BlockingLoop>();
    auto client = loop->get(lanyard::connect(std::move(source), options));
    return {std::move(loop), std::move(client)};
}

}  // namespace

Client connect(std::unique_ptr<Connector> connector, ClientOptions const& options) {
    return connect_to(std::move(connector), options);
}

Client start_client(std::unique_ptr<Connector> connector, ClientOptions const& options) {
    auto loop = std::make_shared<detail::BlockingLoop>();
    auto client = loop->get(lanyard::start_client(std::move(connector), options));
    return {std::move(loop), std::move(client)};
}

Client connect(std::unique_ptr<Transport> transport, ClientOptions const& options) {
    return connect_to(std::move(transport), options);
}

}  // namespace lanyard::blocking

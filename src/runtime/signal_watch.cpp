#include "runtime/signal_watch.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/descriptors.hpp"

namespace lanyard::runtime {

namespace {

constexpr std::array watched{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr std::size_t max_watches = 64;

// An eventfd adds up the values that are written to it. Its lower half counts the signals to stop,
// its upper half counts the hang-ups.
constexpr std::uint64_t one_stop = 1;
constexpr std::uint64_t one_hang_up = std::uint64_t{1} << 32;

// The state of the signal handler, which consists of lock-free atomics only. An element of `places`
// is the descriptor of an eventfd plus one, or zero if the element is unused.
std::array<std::atomic<int>, max_watches> places{};
std::atomic<int> stops = 0;
std::atomic<int> in_handler = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
    int const error = errno;
    in_handler.fetch_add(1);
    if (number != SIGHUP && stops.fetch_add(1) > 0) _exit(128 + number);
    std::uint64_t const word = number == SIGHUP ? one_hang_up : one_stop;
    for (auto const& place : places) {
        int const descriptor = place.load() - 1;
        if (descriptor < 0) continue;
        [[maybe_unused]] auto const ignored = ::write(descriptor, &word, sizeof word);
    }
    in_handler.fetch_sub(1);
    errno = error;
}

// The process-wide signal dispositions, shared by all watches.
class Dispositions {
public:
    void enter() {
        std::lock_guard const lock(mutex_);
        if (count_++ > 0) return;
        stops = 0;
        for (std::size_t i = 0; i < watched.size(); ++i) {
            struct sigaction action{};
            sigfillset(&action.sa_mask);
            action.sa_flags = SA_RESTART;
            action.sa_handler = watched[i] == SIGPIPE ? SIG_IGN : on_signal;
            sigaction(watched[i], nullptr, &before_[i]);
            bool const keeps = watched[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
            if (!keeps) sigaction(watched[i], &action, nullptr);
        }
    }
    void leave() noexcept {
        std::lock_guard const lock(mutex_);
        if (--count_ > 0) return;
        for (std::size_t i = 0; i < watched.size(); ++i) {
            sigaction(watched[i], &before_[i], nullptr);
        }
    }

private:
    std::mutex mutex_;
    int count_ = 0;
    std::array<struct sigaction, watched.size()> before_{};
};

Dispositions& dispositions() {
    static Dispositions shared;
    return shared;
}

// Adds the descriptor to `places`, so that the signal handler writes to the descriptor. Returns the
// element of `places`; null if there are too many watches.
std::atomic<int>* take_place(int descriptor) noexcept {
    for (auto& place : places) {
        int none = 0;
        if (place.compare_exchange_strong(none, descriptor + 1)) return &place;
    }
    return nullptr;
}

transport::Descriptor make_eventfd() {
    transport::Descriptor made(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!made.is_open()) throw std::system_error(errno, std::generic_category(), "eventfd");
    return made;
}

}  // namespace

struct SignalWatch::State : std::enable_shared_from_this<State> {
    using Waiting = boost::asio::posix::stream_descriptor;

    State(boost::asio::any_io_executor const& executor, Handlers told)
        : handlers(std::move(told)), told_by(transport::adopt(executor, make_eventfd())) {}

    void wait() {
        told_by.async_wait(Waiting::wait_read,
                           [self = shared_from_this()](boost::system::error_code const& error) {
                               if (!error && self->place != nullptr) self->take();
                           });
    }

    void take() {
        std::uint64_t word = 0;
        if (::read(told_by.native_handle(), &word, sizeof word) == sizeof word) {
            if (word / one_hang_up > 0) handlers.hang_up();
            if (word % one_hang_up > 0) handlers.stop();
        }
        if (place != nullptr) wait();
    }

    void end() noexcept {
        if (place != nullptr) place->store(0);
        place = nullptr;
        // A signal handler on another thread may be about to write to the descriptor, so this waits
        // until no signal handler is running.
        while (in_handler.load() > 0) std::this_thread::yield();
        boost::system::error_code ignored;
        told_by.close(ignored);
    }

    Handlers handlers;
    Waiting told_by;
    std::atomic<int>* place = nullptr;
};

SignalWatch::SignalWatch(boost::asio::any_io_executor const& executor, Handlers handlers)
    : state_(std::make_shared<State>(executor, std::move(handlers))) {
    state_->place = take_place(state_->told_by.native_handle());
    try {
        if (state_->place != nullptr) state_->wait();
        dispositions().enter();
    } catch (...) {
        state_->end();
        throw;
    }
}

SignalWatch::~SignalWatch() {
    dispositions().leave();
    state_->end();
}

}  // namespace lanyard::runtime

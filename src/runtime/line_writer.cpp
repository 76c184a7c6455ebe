#include "runtime/line_writer.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/control_characters.hpp"

namespace lanyard::runtime {

namespace {

using namespace std::chrono_literals;

// The maximum time for which the program's exit is delayed to write queued lines to stderr.
constexpr Duration exit_timeout = 500ms;

// While this object lives, writing to a pipe without a reader fails in this thread instead of
// raising SIGPIPE.
class NoSigpipe {
public:
    NoSigpipe() noexcept {
        sigset_t pending;
        sigpending(&pending);
        pending_before_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&sigpipe_);
        sigaddset(&sigpipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
    }
    ~NoSigpipe() {
        // Keeps errno, which the caller checks after the write.
        int const error = errno;
        timespec const now{};
        if (!pending_before_) sigtimedwait(&sigpipe_, nullptr, &now);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = error;
    }
    NoSigpipe(NoSigpipe const&) = delete;
    NoSigpipe& operator=(NoSigpipe const&) = delete;

private:
    sigset_t sigpipe_;
    sigset_t before_;
    bool pending_before_;
};

// Threads created while this object lives receive no signals.
class NoSignals {
public:
    NoSignals() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(NoSignals const&) = delete;
    NoSignals& operator=(NoSignals const&) = delete;

private:
    sigset_t before_;
};

enum class WriteOutcome { written, would_block, failed };

struct WriteAttempt {
    WriteOutcome outcome;
    std::size_t bytes = 0;  // number of bytes written; may be only part of the text
};

WriteAttempt judge(ssize_t result, std::size_t size) noexcept {
    if (result == static_cast<ssize_t>(size)) return {WriteOutcome::written, size};
    if (result >= 0) return {WriteOutcome::would_block, static_cast<std::size_t>(result)};
    bool const later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return {later ? WriteOutcome::would_block : WriteOutcome::failed};
}

bool takes_more(int descriptor) noexcept {
    pollfd entry{descriptor, POLLOUT, 0};
    return ::poll(&entry, 1, 0) > 0;
}

// Writes without blocking: opens the pipe again with O_NONBLOCK, which affects only the new
// descriptor. A poll() before a blocking write() would not be enough, because another process may
// fill the pipe in between.
WriteAttempt write_to_pipe(int descriptor, std::string_view text) noexcept {
    auto const path = "/proc/self/fd/" + std::to_string(descriptor);
    int const pipe = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (pipe < 0) return {errno == ENXIO ? WriteOutcome::failed : WriteOutcome::would_block};
    auto const attempt = judge(::write(pipe, text.data(), text.size()), text.size());
    ::close(pipe);
    return attempt;
}

// Writes as much as possible without blocking.
WriteAttempt write_now(int descriptor, std::string_view text) noexcept {
    NoSigpipe const quiet;
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) return {WriteOutcome::failed};
    if (S_ISFIFO(status.st_mode)) return write_to_pipe(descriptor, text);
    if (S_ISSOCK(status.st_mode)) {
        return judge(::send(descriptor, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL),
                     text.size());
    }
    if (!takes_more(descriptor)) return {WriteOutcome::would_block};
    return judge(::write(descriptor, text.data(), text.size()), text.size());
}

// Blocks until everything is written. Returns false if writing fails.
bool write_all(int descriptor, std::string_view text) noexcept {
    while (!text.empty()) {
        auto const size = ::write(descriptor, text.data(), text.size());
        if (size > 0) {
            text.remove_prefix(static_cast<std::size_t>(size));
        } else if (size < 0 && errno == EAGAIN) {
            pollfd entry{descriptor, POLLOUT, 0};
            ::poll(&entry, 1, -1);
        } else if (size == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

std::string ended(std::string_view line) {
    return visible_line(line, LineWriter::max_line_bytes - 1) + "\n";
}

std::string loss_line(std::uint64_t count) {
    return "(" + std::to_string(count) + (count == 1 ? " log line was" : " log lines were") +
           " lost because they could not be written)\n";
}

}  // namespace

struct LineWriter::State {
    State(int to, LineLimits limit) : descriptor(to), limits(limit) {}

    int const descriptor;
    LineLimits const limits;
    std::mutex mutex;
    std::condition_variable changed;  // notified when the thread has written a line or has ended
    std::deque<std::string> queue;    // the first line may be only the unwritten rest of a line
    std::size_t bytes = 0;
    std::uint64_t dropped = 0;
    std::uint64_t unreported = 0;  // number of dropped lines that no loss_line() has reported yet
    bool running = false;          // the writer thread is running; it runs while lines are queued
    bool abandoned = false;

    bool has_room(std::size_t size) const noexcept {
        return queue.size() < limits.lines && bytes + size <= limits.bytes;
    }
    void drop() noexcept {
        ++dropped;
        ++unreported;
    }
    void push(std::string text) {
        bytes += text.size();
        queue.push_back(std::move(text));
    }

    // Writes as much of the line as possible without blocking and queues the rest of it.
    void put(std::string text) {
        auto const attempt = write_now(descriptor, text);
        if (attempt.outcome == WriteOutcome::failed) {
            drop();
        } else if (attempt.outcome == WriteOutcome::would_block) {
            text.erase(0, attempt.bytes);
            push(std::move(text));
        }
    }

    void add(std::string text) {
        if (unreported > 0 && has_room(max_line_bytes)) {
            auto const lost = std::exchange(unreported, 0);
            auto const failed_before = dropped;
            take(loss_line(lost));
            if (dropped != failed_before) {
                // The line that reports dropped lines was dropped itself, and is not counted.
                --dropped;
                unreported = lost;
            }
        }
        take(std::move(text));
    }

    void take(std::string text) {
        if (queue.empty() && !running) {
            put(std::move(text));
        } else if (has_room(text.size())) {
            push(std::move(text));
        } else {
            drop();
        }
    }

    // The function of the writer thread. There is at most one such thread; it ends when the queue
    // is empty.
    static void run(std::shared_ptr<State> const& self) {
        std::unique_lock lock(self->mutex);
        while (!self->abandoned && (!self->queue.empty() || self->unreported > 0)) {
            std::string text;
            if (self->queue.empty()) {
                text = loss_line(self->unreported);
                auto const lost = std::exchange(self->unreported, 0);
                lock.unlock();
                bool const written = write_all(self->descriptor, text);
                lock.lock();
                if (written) continue;
                // The dropped lines are reported later, before the next line that can be written.
                self->unreported += lost;
                break;
            }
            text.swap(self->queue.front());
            lock.unlock();
            bool const written = write_all(self->descriptor, text);
            lock.lock();
            self->queue.pop_front();
            self->bytes -= text.size();
            if (!written) self->drop();
            self->changed.notify_all();
        }
        self->running = false;
        self->changed.notify_all();
    }
};

LineWriter::LineWriter(int descriptor, LineLimits limits)
    : state_(std::make_shared<State>(descriptor, limits)) {}

LineWriter::~LineWriter() {
    std::lock_guard const lock(state_->mutex);
    state_->abandoned = true;
}

void LineWriter::write(std::string_view line) noexcept {
    try {
        std::lock_guard const lock(state_->mutex);
        state_->add(ended(line));
        if (state_->queue.empty() || state_->running) return;
        NoSignals const none;
        std::thread([state = state_] { State::run(state); }).detach();
        state_->running = true;
    } catch (std::exception const&) {
        // If there is no memory or no thread, the line is not logged.
    }
}

bool LineWriter::flush(Duration timeout) noexcept {
    auto const until = std::chrono::steady_clock::now() + timeout;
    std::unique_lock lock(state_->mutex);
    while (state_->running) {
        // Gives up if the descriptor accepts nothing: the writer thread is then blocked in a write,
        // or soon will be.
        if (!takes_more(state_->descriptor) || std::chrono::steady_clock::now() >= until) break;
        state_->changed.wait_for(lock, 5ms);
    }
    return state_->queue.empty();
}

std::uint64_t LineWriter::dropped() const noexcept {
    std::lock_guard const lock(state_->mutex);
    return state_->dropped;
}

std::size_t LineWriter::waiting() const noexcept {
    std::lock_guard const lock(state_->mutex);
    return state_->queue.size();
}

LineWriter& standard_error() {
    // Never destroyed: destructors of other static objects may still log.
    static auto* const writer = [] {
        auto* const made = new LineWriter(STDERR_FILENO);
        std::atexit([] { standard_error().flush(exit_timeout); });
        return made;
    }();
    return *writer;
}

void print_error_line(std::initializer_list<std::string_view> parts) noexcept {
    try {
        std::string line;
        for (auto const part : parts) line += part;
        standard_error().write(line);
    } catch (std::exception const&) {
        // If there is no memory, the line is not logged.
    }
}

}  // namespace lanyard::runtime

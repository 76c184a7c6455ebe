#include "lanyard/transport/child_process.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include "base/at_end.hpp"
#include "runtime/event.hpp"
#include "transport/child_stderr.hpp"
#include "transport/spawn.hpp"
#include "transport/stream_transport.hpp"

namespace lanyard {

namespace {

using boost::asio::posix::stream_descriptor;

std::vector<std::string> environment_of(ChildProcessOptions const& options) {
    std::vector<std::string> all;
    auto const sets = [&options](std::string_view entry) {
        return std::any_of(
            options.variables().begin(), options.variables().end(), [entry](auto const& variable) {
                return entry.size() > variable.first.size() && entry.starts_with(variable.first) &&
                       entry[variable.first.size()] == '=';
            });
    };
    if (options.inherit_environment()) {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            if (!sets(*entry)) all.emplace_back(*entry);
        }
    }
    for (auto const& [name, value] : options.variables()) all.push_back(name + "=" + value);
    return all;
}

struct SignalName {
    int number;
    std::string_view name;
    bool is_crash;  // the process itself caused the signal
};
constexpr SignalName signal_names[] = {
    {SIGSEGV, "SIGSEGV", true},  {SIGABRT, "SIGABRT", true},  {SIGBUS, "SIGBUS", true},
    {SIGFPE, "SIGFPE", true},    {SIGILL, "SIGILL", true},    {SIGTRAP, "SIGTRAP", true},
    {SIGSYS, "SIGSYS", true},    {SIGKILL, "SIGKILL", false}, {SIGTERM, "SIGTERM", false},
    {SIGINT, "SIGINT", false},   {SIGHUP, "SIGHUP", false},   {SIGPIPE, "SIGPIPE", false},
    {SIGQUIT, "SIGQUIT", false}, {SIGALRM, "SIGALRM", false}, {SIGXCPU, "SIGXCPU", false},
};

std::string describe_exit(int status) {
    if (WIFEXITED(status)) return "exited with code " + std::to_string(WEXITSTATUS(status));
    auto const number = WTERMSIG(status);
    auto const* const known =
        std::find_if(std::begin(signal_names), std::end(signal_names),
                     [number](SignalName const& each) { return each.number == number; });
    if (known == std::end(signal_names)) return "was ended by signal " + std::to_string(number);
    std::string text = known->is_crash ? "crashed with signal " : "was ended by signal ";
    text += std::to_string(number);
    return text.append(" (").append(known->name).append(")");
}

// The child process, with the state of its stderr and its exit. Shared with the coroutines that
// watch stderr and the exit, which may outlive the transport for a short time.
struct Child {
    Child(boost::asio::any_io_executor const& executor, transport::Spawned& spawned,
          ChildProcessOptions const& from)
        : process(spawned.process),
          watch(transport::adopt(executor, std::move(spawned.watch))),
          err(transport::adopt(executor, std::move(spawned.err))),
          changed(executor),
          options(from),
          output(executor, from.on_stderr()) {
        output.on_passed_on([this] { changed.notify(); });
    }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;
    ~Child() {
        if (!status) end();
    }

    // Kills the remaining processes of the child's group, then reaps the child. The system does not
    // reuse the child's process id before that, so the signal goes to the right group.
    void end() {
        kill(-process, SIGKILL);
        int exited = 0;
        while (waitpid(process, &exited, 0) < 0 && errno == EINTR) continue;
        status = exited;
    }

    pid_t process;
    stream_descriptor watch;
    stream_descriptor err;
    runtime::Event changed;
    ChildProcessOptions options;
    transport::ChildStderr output;  // what the child writes to stderr
    std::optional<int> status;
    bool err_ended = false;

    bool has_exited() const { return status.has_value(); }
    bool has_closed_stderr() const { return err_ended; }
    bool has_passed_on_stderr() const { return err_ended && output.passed_on(); }
};

constexpr Duration forever = Duration::max();

// Completes when the condition holds, or after the time `most`.
Task<> wait_for(Child& child, Duration most, bool (Child::*holds)() const) {
    auto& time = child.options.time();
    auto const deadline = most == forever ? TimePoint::max() : time.now() + most;
    while (!(child.*holds)() && time.now() < deadline) {
        co_await child.changed.wait_until(time, deadline);
    }
}

// How long to wait for the exit of a child that has closed its output. A child that crashes closes
// its output a moment before its exit can be observed.
constexpr Duration exit_wait = std::chrono::seconds(1);

Task<> drain_stderr(std::shared_ptr<Child> child) {
    AtEnd const ended([&] {
        child->err_ended = true;
        child->changed.notify();
    });
    std::array<char, 4096> buffer{};
    for (;;) {
        boost::system::error_code error;
        auto const got = co_await child->err.async_read_some(
            boost::asio::buffer(buffer),
            boost::asio::redirect_error(boost::asio::use_awaitable, error));
        if (error) break;
        child->output.take(std::string_view(buffer.data(), got));
    }
    child->output.end();
}

// Waits for the exit of the child. If the event loop is destroyed first, this coroutine is
// destroyed and the child is killed.
Task<> await_exit(std::shared_ptr<Child> child) {
    AtEnd const ended([&] {
        if (!child->status) child->end();
        child->changed.notify();
    });
    boost::system::error_code error;
    co_await child->watch.async_wait(
        stream_descriptor::wait_read,
        boost::asio::redirect_error(boost::asio::use_awaitable, error));
}

class ChildTransport final : public transport::StreamTransport {
public:
    ChildTransport(boost::asio::any_io_executor const& executor, transport::Spawned& spawned,
                   ChildProcessOptions const& options)
        : StreamTransport(executor, std::move(spawned.out), std::move(spawned.in), options.stream(),
                          {.kind = "child process",
                           .peer = options.arguments().front() + " (process " +
                                   std::to_string(spawned.process) + ")"}),
          child_(std::make_shared<Child>(executor, spawned, options)) {
        boost::asio::co_spawn(executor, drain_stderr(child_), boost::asio::detached);
        boost::asio::co_spawn(executor, await_exit(child_), boost::asio::detached);
    }

    ~ChildTransport() override {
        // If closed() was not awaited, the child may still be running. The child must not outlive
        // its transport, so it is killed here.
        if (!child_->status) kill(-child_->process, SIGKILL);
    }

    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        auto const frames = co_await StreamTransport::read();
        if (!frames) co_await await_end();
        co_return frames;
    }

    void close() noexcept override {
        closing_ = true;
        child_->changed.notify();
        StreamTransport::close();
    }

    Task<> closed() override {
        auto const child = child_;
        for (int const signal_number : {0, SIGTERM, SIGKILL}) {
            if (child->status) break;
            if (signal_number != 0) kill(-child->process, signal_number);
            bool const last = signal_number == SIGKILL;
            co_await wait_for(*child, last ? forever : child->options.exit_timeout(),
                              &Child::has_exited);
        }
        // The child's last output on stderr may still arrive. The wait is limited, because a
        // process that has left the group may keep stderr open.
        co_await wait_for(*child, child->options.exit_timeout(), &Child::has_closed_stderr);
        boost::system::error_code ignored;
        child->err.close(ignored);
        co_await wait_for(*child, forever, &Child::has_passed_on_stderr);
    }

    std::string end_reason() const override {
        std::string reason = child_->options.arguments().front();
        reason += child_->status ? " " + describe_exit(*child_->status) : " closed its output";
        auto lines = child_->output.tail();
        while (!lines.empty() && (lines.back() == '\n' || lines.back() == '\r'))
            lines.remove_suffix(1);
        constexpr std::size_t shown = 1024;
        if (lines.size() > shown) lines.remove_prefix(lines.size() - shown);
        if (!lines.empty()) reason += "; its last lines on stderr: " + std::string(lines);
        return reason;
    }

private:
    // Waits a short time for the exit of the child and for its last output on stderr, so that
    // end_reason() can name them. Completes at once if this side has closed the connection.
    Task<> await_end() {
        auto const child = child_;
        auto& time = child->options.time();
        auto const deadline = time.now() + exit_wait;
        while (!closing_ && !(child->has_exited() && child->has_closed_stderr()) &&
               time.now() < deadline) {
            co_await child->changed.wait_until(time, deadline);
        }
    }

    std::shared_ptr<Child> child_;
    bool closing_ = false;
};

class ChildConnector final : public Connector {
public:
    explicit ChildConnector(ChildProcessOptions options) : options_(std::move(options)) {}

    Task<std::unique_ptr<Transport>> open() override {
        auto const executor = co_await boost::asio::this_coro::executor;
        // With SIGPIPE ignored, writing to a child that has exited fails with an error instead of
        // ending the program.
        std::signal(SIGPIPE, SIG_IGN);
        transport::SpawnRequest request;
        request.arguments = options_.arguments();
        request.working_directory = options_.working_directory();
        request.environment = environment_of(options_);
        auto spawned = transport::spawn(request);
        if (!spawned) throw spawned.error();
        co_return std::make_unique<ChildTransport>(executor, *spawned, options_);
    }

    bool starts_peer() const noexcept override { return true; }

    std::string describe() const override {
        std::string text;
        for (auto const& argument : options_.arguments()) {
            if (!text.empty()) text += ' ';
            text += argument;
        }
        return text;
    }

private:
    ChildProcessOptions options_;
};

}  // namespace

std::unique_ptr<Connector> child_process(ChildProcessOptions options) {
    return std::make_unique<ChildConnector>(std::move(options));
}

}  // namespace lanyard

#include "transport/spawn.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <system_error>

#include <sys/wait.h>

#include "runtime/standard_descriptors.hpp"

namespace lanyard::transport {

namespace {

struct Pipe {
    Descriptor read;
    Descriptor write;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Returns the path of the program. It is looked up before fork(), because the child may call only a
// few functions between fork and exec.
std::string find_program(std::string const& name, std::vector<std::string> const& environment) {
    if (name.find('/') != std::string::npos) return name;
    std::string_view path = "/usr/local/bin:/usr/bin:/bin";
    for (auto const& variable : environment) {
        if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
    }
    while (!path.empty()) {
        auto const end = std::min(path.find(':'), path.size());
        auto const folder = end == 0 ? std::string(".") : std::string(path.substr(0, end));
        auto const candidate = folder + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return name;
}

std::vector<char*> pointers(std::vector<std::string> const& texts) {
    std::vector<char*> out;
    for (auto const& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

// A failure in the child before exec. The child reports it through a pipe, which a successful exec
// closes.
struct ChildFailure {
    enum class Step : int { directory, program } step;
    int error;
};

struct ChildPlan {
    char const* program;
    char* const* arguments;
    char* const* environment;
    char const* directory;  // null: not changed
    int in;
    int out;
    int err;
    int report;
};

// Runs between fork and exec, so it may only call functions that are async-signal-safe.
[[noreturn]] void become(ChildPlan const& plan) {
    auto const fail = [&plan](ChildFailure::Step step) {
        ChildFailure const failure{step, errno};
        [[maybe_unused]] auto const written = ::write(plan.report, &failure, sizeof failure);
        _exit(127);
    };
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int const number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) signal(number, SIG_DFL);
    // The descriptors of the pipes are above 2, because stdin, stdout and stderr of this process
    // are open. dup2 clears close-on-exec for the copies.
    dup2(plan.in, STDIN_FILENO);
    dup2(plan.out, STDOUT_FILENO);
    dup2(plan.err, STDERR_FILENO);
    // Other descriptors are marked close-on-exec instead of closed, so that a failure can still be
    // reported.
    syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    if (plan.directory != nullptr && chdir(plan.directory) != 0) {
        fail(ChildFailure::Step::directory);
    }
    execve(plan.program, plan.arguments, plan.environment);
    fail(ChildFailure::Step::program);
    _exit(127);
}

Unexpected<Error> unavailable(std::string what, int error) {
    return Unexpected(
        Error(Errc::unavailable, what + ": " + std::generic_category().message(error)));
}

}  // namespace

Result<Spawned> spawn(SpawnRequest const& request) {
    if (request.arguments.empty() || request.arguments.front().empty()) {
        return Unexpected(Error(Errc::invalid_argument, "no program to start"));
    }
    runtime::reserve_standard_descriptors();
    auto in = make_pipe();
    auto out = make_pipe();
    auto err = make_pipe();
    auto report = make_pipe();
    if (!in || !out || !err || !report) return unavailable("cannot make a pipe", errno);

    auto const program = find_program(request.arguments.front(), request.environment);
    auto const arguments = pointers(request.arguments);
    auto const environment = pointers(request.environment);
    ChildPlan const plan{program.c_str(),
                         arguments.data(),
                         environment.data(),
                         request.working_directory ? request.working_directory->c_str() : nullptr,
                         in->read.get(),
                         out->write.get(),
                         err->write.get(),
                         report->write.get()};
    pid_t const process = fork();
    if (process < 0) return unavailable("cannot start a process", errno);
    if (process == 0) become(plan);

    // The parent and the child both call setpgid(), so that the group exists before the first
    // signal is sent to it, whichever process runs first.
    setpgid(process, process);
    report->write = Descriptor();
    ChildFailure failure{};
    ssize_t got = 0;
    do {
        got = ::read(report->read.get(), &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof failure) {
        waitpid(process, nullptr, 0);
        if (failure.step == ChildFailure::Step::directory) {
            return unavailable("cannot enter the folder " + *request.working_directory,
                               failure.error);
        }
        return unavailable("cannot start " + request.arguments.front(), failure.error);
    }
    auto watch = open_process(process);
    if (!watch.is_open()) {
        int const error = errno;
        kill(-process, SIGKILL);
        waitpid(process, nullptr, 0);
        return unavailable("cannot watch the process of " + request.arguments.front(), error);
    }
    return Spawned{process, std::move(watch), std::move(in->write), std::move(out->read),
                   std::move(err->read)};
}

}  // namespace lanyard::transport

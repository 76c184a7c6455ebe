// A tool that runs other programs: docs/cookbook.md.
// [program]
#include <lanyard/lanyard.hpp>

#include <csignal>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs a program without a shell and returns its output. A stop request kills it.
std::string run(std::vector<std::string> command, std::stop_token stop) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    // Without this, the program would read from the stdin of the server.
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_adddup2(&files, ends[1], 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // to kill its children, too
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    int const error =
        posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);

    std::string output;
    siginfo_t exited{};
    if (error == 0) {
        std::stop_callback const kill_it(stop, [child] { kill(-child, SIGKILL); });
        char buffer[4096];
        for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
            if (output.size() < 100'000) output.append(buffer, static_cast<std::size_t>(got));
        }
        waitid(P_PID, static_cast<id_t>(child), &exited, WEXITED | WNOWAIT);  // keeps its number
    }
    close(ends[0]);
    if (error != 0) throw lanyard::ToolError("cannot start " + command[0]);
    waitpid(child, nullptr, 0);
    if (exited.si_code == CLD_EXITED && exited.si_status == 0) return output;
    throw lanyard::ToolError(command[0] + " failed: " + output);
}

enum class Fact { kernel, disk };
LANYARD_ENUM(Fact, (kernel, "Name and version of the kernel"), (disk, "Free space"))

struct Ask {
    Fact fact = Fact::kernel;
};
LANYARD_STRUCT(Ask, (fact, "What to find out"))

std::string system_fact(Ask in, lanyard::Context& context) {
    std::vector<std::string> const kernel{"uname", "-sr"};
    std::vector<std::string> const disk{"df", "-h", "/"};
    return run(in.fact == Fact::kernel ? kernel : disk, context.stop_token());
}

int main() {
    lanyard::Server server{"system", "1.0.0"};
    server.tool("system_fact", "Find out something about this machine", system_fact,
                lanyard::ToolOptions().read_only().blocking().timeout(std::chrono::seconds(10)));
    return server.run(lanyard::stdio());
}
// [/program]

// Drives the protocol by hand from the program's own event loop: poll(2) here; elsewhere the frames
// of a game, a window system's loop or a library's loop.
#include <cerrno>
#include <string>
#include <string_view>

#include <poll.h>
#include <unistd.h>

#include <lanyard/server.hpp>
#include <lanyard/server/engine.hpp>

struct Numbers {
    double a = 0;
    double b = 0;
};
LANYARD_STRUCT(Numbers, (a, "One number"), (b, "Another"))

void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return;  // the client is gone; the next read detects it
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

// Passes the complete lines in the buffer to the engine.
void take_lines(std::string& buffer, lanyard::ServerEngine& engine) {
    std::size_t begin = 0;
    for (auto end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n', begin)) {
        engine.on_message(std::string_view(buffer).substr(begin, end - begin));
        begin = end + 1;
    }
    buffer.erase(0, begin);
}

int main() {
    lanyard::Server server{"by hand", "1.0.0"};
    server.tool("add", "Add two numbers", [](Numbers in) { return in.a + in.b; });
    server.tool("multiply", "Multiply two numbers, in another thread",
                lanyard::ToolOptions().blocking(), [](Numbers in) { return in.a * in.b; });

    // Another thread writes to the pipe when the engine has work.
    int wake[2];
    if (::pipe(wake) != 0) return 1;
    lanyard::ServerEngine engine(
        server,
        [](std::string_view message) { write_all(STDOUT_FILENO, std::string(message) + "\n"); },
        [&] { write_all(wake[1], "x"); });

    std::string buffer;
    char bytes[4096];
    while (!engine.closed()) {
        pollfd descriptors[] = {{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}};
        ::poll(descriptors, 2, 100);
        if (descriptors[1].revents != 0 && ::read(wake[0], bytes, sizeof bytes) < 0) return 1;
        engine.poll();
        if (descriptors[0].revents == 0) continue;
        auto const size = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (size <= 0) break;
        buffer.append(bytes, static_cast<std::size_t>(size));
        take_lines(buffer, engine);
    }
    engine.close();
    return 0;
}

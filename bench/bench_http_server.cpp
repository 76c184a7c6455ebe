// A server behind sockets, against a process that does the least there is to do (epoll, read, write
// a fixed answer), in the same run and on one core: CPU, user instructions and allocations of the
// server per call.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int connections = 8;

std::string post(std::string_view body, std::string_view headers) {
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: bench/1.0\r\n"
           "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n" +
           std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string(body);
}

constexpr std::string_view some_text = R"({"text":"the quick brown fox jumps over the lazy dog"})";
constexpr std::string_view two_numbers = R"({"a":1,"b":2})";

std::string call_of(std::string_view tool, std::string_view arguments, std::string_view meta) {
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
           std::string(tool) + R"(","arguments":)" + std::string(arguments) + std::string(meta) +
           "}}";
}

// A call that stands alone (2026-07-28).
std::string single_call(std::string_view tool = "echo", std::string_view arguments = some_text) {
    return post(call_of(tool, arguments,
                        R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                        R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
                        R"("io.modelcontextprotocol/clientCapabilities":{}})"),
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " +
                    std::string(tool) + "\r\n");
}

// A call in a session (2025-11-25).
std::string session_call(std::string const& session, std::string_view tool = "echo",
                         std::string_view arguments = some_text) {
    return post(call_of(tool, arguments, ""),
                "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n");
}

// What the echo says: as long as a server's answer.
std::string fixed_answer() {
    std::string const body =
        R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)"
        R"("the quick brown fox jumps over the lazy dog"}],"resultType":"complete"}})";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

void pin_to_one_core() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int open_socket(std::uint16_t& port, bool listens) {
    auto const descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int const on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    if (!listens) {
        if (connect(descriptor, name, sizeof address) == 0) return descriptor;
        close(descriptor);
        return -1;
    }
    socklen_t size = sizeof address;
    if (bind(descriptor, name, sizeof address) != 0 || listen(descriptor, 100) != 0) return -1;
    getsockname(descriptor, name, &size);
    port = ntohs(address.sin_port);
    return descriptor;
}

[[noreturn]] void echo_forever(int listening) {
    auto const poll = epoll_create1(0);
    auto const add = [poll](int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = descriptor;
        epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
    };
    add(listening);
    auto const answer = fixed_answer();
    std::array<epoll_event, 64> events;
    std::array<char, 65536> buffer;
    for (;;) {
        auto const count = epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            auto const descriptor = events[static_cast<std::size_t>(i)].data.fd;
            if (descriptor == listening) {
                add(accept(listening, nullptr, nullptr));
            } else if (read(descriptor, buffer.data(), buffer.size()) <= 0) {
                close(descriptor);
            } else if (write(descriptor, answer.data(), answer.size()) < 0) {
                close(descriptor);
            }
        }
    }
}

// A server in a process of its own.
class Child {
public:
    // Without a program, the echo. What stands in front of it runs it (valgrind).
    explicit Child(std::string const& program, std::vector<std::string> prefix = {}) {
        auto const listening = open_socket(port_, true);
        if (!program.empty()) close(listening);
        pid_ = fork();
        if (pid_ == 0) {
            if (program.empty()) echo_forever(listening);
            auto arguments = std::move(prefix);
            arguments.insert(arguments.end(), {program, "--port", std::to_string(port_)});
            std::vector<char*> pointers;
            for (auto& argument : arguments) pointers.push_back(argument.data());
            pointers.push_back(nullptr);
            execvp(pointers[0], pointers.data());
            _exit(127);
        }
        if (program.empty()) close(listening);
    }
    ~Child() { end(); }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    void end() {
        if (pid_ < 0) return;
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    std::uint16_t port() const { return port_; }
    double cpu_seconds() const {
        clockid_t clock{};
        timespec spent{};
        clock_getcpuclockid(pid_, &clock);
        clock_gettime(clock, &spent);
        return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
    }

private:
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
};

class Client {
public:
    explicit Client(std::uint16_t port) {
        // The server may need a moment to start; under valgrind several.
        for (int i = 0; i < 3000 && descriptor_ < 0; ++i) {
            descriptor_ = open_socket(port, false);
            if (descriptor_ < 0) usleep(10'000);
        }
        if (descriptor_ < 0) throw std::runtime_error("the server does not listen");
    }
    ~Client() { close(descriptor_); }
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    void send(std::string_view bytes) const {
        if (write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("the server is gone");
        }
    }
    // The next response, up to its end.
    std::string_view receive() {
        size_ = 0;
        for (;;) {
            auto const got = read(descriptor_, buffer_.data() + size_, buffer_.size() - size_);
            if (got <= 0) throw std::runtime_error("the server has ended the connection");
            size_ += static_cast<std::size_t>(got);
            std::string_view const text(buffer_.data(), size_);
            auto const head = text.find("\r\n\r\n");
            if (head == text.npos) continue;
            auto const length = text.find("Content-Length:");
            if (length == text.npos || length > head) {
                if (text.find(" 202 ") < head) return text;
                if (text.ends_with("0\r\n\r\n")) return text;
                continue;
            }
            auto const body = std::strtoul(buffer_.data() + length + 15, nullptr, 10);
            if (size_ >= head + 4 + body) return text;
        }
    }
    std::string_view call(std::string_view request) {
        send(request);
        auto const answer = receive();
        if (!answer.starts_with("HTTP/1.1 20")) {
            throw std::runtime_error("refused: " + std::string(answer));
        }
        return answer;
    }

private:
    int descriptor_ = -1;
    std::array<char, 65536> buffer_{};
    std::size_t size_ = 0;
};

// Several connections, each with one call at a time.
struct Load {
    Load(Child const& server, std::string const& request) {
        auto const id = request.find(R"("id":1)") + 5;
        for (int i = 0; i < connections; ++i) {
            clients.push_back(std::make_unique<Client>(server.port()));
            requests.push_back(request);
            // In a session, requests that are under way have ids of their own.
            requests.back()[id] = static_cast<char>('1' + i);
        }
    }
    void run(int rounds) {
        for (int i = 0; i < rounds; ++i) {
            for (std::size_t c = 0; c < clients.size(); ++c) clients[c]->send(requests[c]);
            for (auto const& client : clients) client->receive();
        }
    }

    std::vector<std::string> requests;
    std::vector<std::unique_ptr<Client>> clients;
};

std::string server_path() {
    std::array<char, 4096> path{};
    auto const size = readlink("/proc/self/exe", path.data(), path.size() - 1);
    std::string const self(path.data(), static_cast<std::size_t>(size));
    return self.substr(0, self.rfind("/bench/")) + "/bin/bench-server";
}

std::string open_session(Client& client) {
    auto const answer = std::string(client.call(
        post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})",
             "")));
    auto const at = answer.find("Mcp-Session-Id: ");
    if (at == answer.npos) throw std::runtime_error("no session");
    auto session = answer.substr(at + 16, answer.find("\r\n", at) - at - 16);
    client.call(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                     "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n"));
    return session;
}

// The counter of allocations that the server's tool "allocations" reads out.
double allocations(Client& client) {
    auto const answer = std::string(client.call(single_call("allocations")));
    auto const at = answer.find(R"("text":")");
    return at == answer.npos ? -1 : std::strtod(answer.c_str() + at + 8, nullptr);
}

double allocations_per_call(Client& client, std::string const& request) {
    constexpr int calls = 1000;
    for (int i = 0; i < 100; ++i) client.call(request);
    auto const before = allocations(client);
    auto const between = allocations(client);
    for (int i = 0; i < calls; ++i) client.call(request);
    auto const after = allocations(client);
    return std::max(0.0, (after - between) - (between - before)) / calls;
}

// User instructions from start to end of a server that has served so many calls.
double instructions(bool in_session, int calls) {
    auto const folder = std::filesystem::temp_directory_path() /
                        ("lanyard-bench-" + std::to_string(getpid()) + ".callgrind");
    Child server(server_path(),
                 {"valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=" + folder.string()});
    {
        Client client(server.port());
        auto const request = in_session ? session_call(open_session(client)) : single_call();
        for (int i = 0; i < calls; ++i) client.call(request);
    }
    server.end();
    std::ifstream file(folder);
    double total = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("summary: ")) total = std::stod(line.substr(9));
    }
    std::filesystem::remove(folder);
    return total;
}

void http_call(benchmark::State& state, bool in_session) {
    pin_to_one_core();
    Child echo{std::string()};
    Child server(server_path());
    Client first(server.port());
    auto const session = in_session ? open_session(first) : std::string();
    auto const request = in_session ? session_call(session) : single_call();
    Load raw(echo, request);
    Load served(server, request);
    raw.run(100);
    served.run(200);
    // Of a tool that has nothing to allocate by itself.
    state.counters["allocations"] =
        allocations_per_call(first, in_session ? session_call(session, "add", two_numbers)
                                               : single_call("add", two_numbers));
    // In turns, and the quickest of each counts: other work on the machine only ever adds.
    constexpr int rounds = 100;
    double least_raw = 1e9;
    double least_served = 1e9;
    for (auto _ : state) {
        auto before = echo.cpu_seconds();
        raw.run(rounds);
        least_raw = std::min(least_raw, echo.cpu_seconds() - before);
        before = server.cpu_seconds();
        served.run(rounds);
        least_served = std::min(least_served, server.cpu_seconds() - before);
    }
    state.counters["raw_us"] = least_raw * 1e6 / rounds / connections;
    state.counters["served_us"] = least_served * 1e6 / rounds / connections;
    state.counters["ratio"] = least_served / least_raw;
}

void http_instructions(benchmark::State& state, bool in_session) {
    if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
        state.SkipWithError("needs valgrind");
        return;
    }
    for (auto _ : state) {
        constexpr int few = 200;
        constexpr int many = 1200;
        auto const more = instructions(in_session, many) - instructions(in_session, few);
        state.counters["instructions"] = more / (many - few);
    }
}

BENCHMARK_CAPTURE(http_call, single, false)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_call, session, true)->Iterations(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_instructions, single, false)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(http_instructions, session, true)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}

// bench-load: starts a server, calls it, checks every answer and prints figures as JSON. It is the
// only load generator for all servers that `make bench-peers` compares, and it can itself run as
// the floor (--floor), a server that does the least possible work.
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "floor.hpp"
#include "load/latency.hpp"
#include "load/run.hpp"
#include "samples.hpp"
#include "server_child.hpp"

namespace lanyard::bench {
namespace {

constexpr std::string_view usage =
    R"(usage: bench-load [OPTION...] -- COMMAND [ARGUMENT...]
       bench-load --floor echo|add|list|text [PORT]

Starts COMMAND, calls it, and prints figures as JSON. An argument {port} makes it a server over HTTP,
at http://127.0.0.1:{port}/mcp; without, it is a server over stdin and stdout.

  --call NAME          echo, add (tools), list (tools/list), text (a tool): default echo
  --mode MODE          session (2025-11-25), stateless (the same without sessions), modern
                       (2026-07-28): default session
  --width N            connections, or calls under way over stdio: default 1
  --seconds S          how long to measure: default 1
  --warm-up S          how long to call before: default 0
  --rate R             calls a second, sent when due whatever the server does; latency counts from
                       when a call was due. Without: the next call when one is answered
  --server-core N      the core of the server; --load-core N, of bench-load: default any
  --unchecked          count answers, do not look at them (--floor gives the same answer to all)

--floor answers with fixed bytes, over HTTP at PORT or over stdin and stdout.
)";

struct Options {
    Work work = Work::echo;
    std::string mode = "session";
    ChannelOptions channel;
    RunOptions run;
    int server_core = -1;
    int load_core = -1;
    std::vector<std::string> command;
};

template <typename Number>
Number number(std::string_view text) {
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
        throw std::invalid_argument("not a number: " + std::string(text));
    }
    return value;
}

Options read_options(std::vector<std::string> const& arguments) {
    Options options;
    auto next = arguments.begin();
    auto const value = [&] {
        if (next == arguments.end()) throw std::invalid_argument("a value is missing");
        return *next++;
    };
    while (next != arguments.end()) {
        auto const option = *next++;
        if (option == "--") {
            options.command.assign(next, arguments.end());
            break;
        }
        if (option == "--call") {
            options.work = work_of(value());
        } else if (option == "--mode") {
            options.mode = value();
        } else if (option == "--width") {
            options.channel.width = number<std::size_t>(value());
        } else if (option == "--seconds") {
            options.run.seconds = number<double>(value());
        } else if (option == "--warm-up") {
            options.run.warm_up_seconds = number<double>(value());
        } else if (option == "--rate") {
            options.run.rate = number<double>(value());
        } else if (option == "--server-core") {
            options.server_core = number<int>(value());
        } else if (option == "--load-core") {
            options.load_core = number<int>(value());
        } else if (option == "--unchecked") {
            options.channel.checked = false;
        } else {
            throw std::invalid_argument("there is no option " + option);
        }
    }
    if (options.mode != "session" && options.mode != "stateless" && options.mode != "modern") {
        throw std::invalid_argument("there is no mode " + options.mode);
    }
    if (options.command.empty()) throw std::invalid_argument("there is no command");
    if (options.channel.width == 0) throw std::invalid_argument("nothing can be under way");
    // Unchecked answers have no ids, so there is no handshake either.
    options.channel.sessions = options.mode == "session" && options.channel.checked;
    return options;
}

void print(Options const& options, Channel const& channel, Process const& server,
           Figures const& figures, double start_milliseconds) {
    auto const calls = static_cast<double>(figures.calls);
    auto const& latency = figures.latency_microseconds;
    std::printf(R"({"call":"%s","mode":"%s","width":%zu,"rate":%g,"calls":%zu,"unanswered":%zu,)"
                R"("seconds":%.6f,"calls_per_second":%.1f,"cpu_us":%.4f,"answer_bytes":%zu,)"
                R"("start_ms":%.2f,"resident_mib":%.2f,"latency_us":{)",
                std::string(name_of(options.work)).c_str(), options.mode.c_str(),
                options.channel.width, options.run.rate, figures.calls, figures.unanswered,
                figures.seconds, calls / figures.seconds, figures.cpu_seconds * 1e6 / calls,
                channel.answer_bytes(), start_milliseconds, server.resident_mib());
    for (auto const& [name, share] : {std::pair{"p50", 0.5}, std::pair{"p90", 0.9},
                                      std::pair{"p99", 0.99}, std::pair{"p999", 0.999}}) {
        std::printf(R"("%s":%.2f,)", name, percentile(latency, share));
    }
    std::printf(R"("max":%.2f}})"
                "\n",
                latency.empty() ? 0.0 : latency.back());
}

void load(Options options) {
    std::uint16_t port = 0;
    for (auto& argument : options.command) {
        auto const at = argument.find("{port}");
        if (at == argument.npos) continue;
        if (port == 0) close(open_socket(port, true));
        argument.replace(at, 6, std::to_string(port));
    }
    auto const start = std::chrono::steady_clock::now();
    Process server(options.command, options.server_core, port == 0);
    pin_to(options.load_core);
    Call call(options.work, options.mode == "modern" ? Era::modern : Era::legacy);
    std::unique_ptr<Channel> channel;
    if (port != 0) {
        channel = std::make_unique<HttpChannel>(server, port, call, options.channel);
    } else {
        channel = std::make_unique<StdioChannel>(server, call, options.channel);
    }
    RunOptions once;
    once.seconds = 0;
    run(*channel, server, once);
    std::chrono::duration<double, std::milli> const started =
        std::chrono::steady_clock::now() - start;
    auto const figures = run(*channel, server, options.run);
    if (figures.calls == 0) throw std::runtime_error("no call was answered");
    print(options, *channel, server, figures, started.count());
}

// A result of the same size as those of servers.
std::string floor_answer(Work work) {
    switch (work) {
        case Work::list:
            return list_message(listed_tools);
        case Work::text:
            return R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")" +
                   std::string(text_bytes, 'x') + R"("}]}})";
        case Work::echo:
        case Work::add:
            break;
    }
    return std::string(short_answer);
}

int serve_floor(std::vector<std::string> const& arguments) {
    if (arguments.empty()) throw std::invalid_argument("the floor of what?");
    auto const work = work_of(arguments[0]);
    if (arguments.size() == 1) {
        bool const large = work == Work::list || work == Work::text;
        answer_pipe_forever(large ? floor_answer(work) + '\n' : std::string());
    }
    auto port = number<std::uint16_t>(arguments[1]);
    auto const listening = open_socket(port, true);
    if (listening < 0) throw std::runtime_error("the port is taken");
    answer_http_forever(listening, http_answer(floor_answer(work)));
}

}  // namespace
}  // namespace lanyard::bench

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (!arguments.empty() && arguments[0] == "--floor") {
            arguments.erase(arguments.begin());
            return lanyard::bench::serve_floor(arguments);
        }
        lanyard::bench::load(lanyard::bench::read_options(arguments));
    } catch (std::invalid_argument const& error) {
        std::cerr << "bench-load: " << error.what() << "\n\n" << lanyard::bench::usage;
        return 2;
    } catch (std::exception const& error) {
        std::cerr << "bench-load: " << error.what() << '\n';
        return 1;
    }
    return 0;
}

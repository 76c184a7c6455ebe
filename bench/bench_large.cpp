// Large answers of whole servers: a text of 1 MB, a resource of 10 MB, the list of 1,000 tools;
// over stdio and HTTP, compared with a process that writes the same bytes without parsing anything,
// in the same run and on one core. The CPU time is that of the servers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "beside_floor.hpp"
#include "http_load.hpp"
#include "line_load.hpp"

namespace {

using namespace lanyard::bench;
using Options = std::vector<std::string>;

// A server over stdio with a session, or one that sends the same answer to every line.
class Stdio {
public:
    explicit Stdio(Options const& options) : server_(options), client_(server_) {
        client_.open_session();
    }
    explicit Stdio(std::string const& answer)
        : server_([&answer] { answer_pipe_forever(answer); }), client_(server_) {}

    std::string call(std::string const& message) { return client_.call(message + '\n'); }
    double cpu_seconds() const { return server_.cpu_seconds(); }

private:
    PipeServer server_;
    LineClient client_;
};

// The same over HTTP.
class Http {
public:
    explicit Http(Options const& options)
        : server_("--port", options),
          client_(server_.port()),
          headers_(session_headers(open_session(client_))) {}
    explicit Http(std::string const& answer)
        : server_([&answer](int listening) { answer_http_forever(listening, answer); }),
          client_(server_.port()) {}

    std::string call(std::string const& message) {
        return std::string(client_.call(post(message, headers_)));
    }
    double cpu_seconds() const { return server_.cpu_seconds(); }

private:
    PortServer server_;
    HttpClient client_;
    std::string headers_;
};

struct Work {
    Options options;
    std::string first;  // the first request
    bool to_the_end;    // whether all pages of the list are requested
};

Work text_work() {
    return {{"--tools", "text"}, call_of("text", "{}"), false};
}
Work blob_work() {
    return {{"--tools", "blob"},
            R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"bench://blob"}})",
            false};
}
Work list_work(bool to_the_end) {
    return {{"--tools", "long_list"},
            R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})",
            to_the_end};
}

// Returns the request for the next page, or an empty text.
std::string next_page(std::string_view answer) {
    constexpr std::string_view mark = R"("nextCursor":")";
    auto const at = answer.find(mark);
    if (at == answer.npos) return {};
    auto const cursor = answer.substr(at + mark.size());
    return R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":")" +
           std::string(cursor.substr(0, cursor.find('"'))) + R"("}})";
}

struct Asked {
    std::vector<std::string> messages;
    std::string answer;  // the first
    std::size_t bytes = 0;
};

// Sends the requests once, and records them and the answers.
template <class Way>
Asked ask(Way& server, Work const& work) {
    Asked asked;
    for (auto message = work.first; !message.empty();) {
        asked.messages.push_back(message);
        auto answer = server.call(message);
        if (answer.find(R"("result":)") == answer.npos) throw std::runtime_error("refused");
        asked.bytes += answer.size();
        message = work.to_the_end ? next_page(answer) : std::string();
        if (asked.answer.empty()) asked.answer = std::move(answer);
    }
    return asked;
}

// The CPU time of one round. Several rounds are measured together, because the kernel charges the
// work for a large write to varying rounds.
template <class Way>
double cpu_of(Way& server, Asked const& asked) {
    constexpr int rounds = 10;
    auto const before = server.cpu_seconds();
    for (int i = 0; i < rounds; ++i) {
        for (auto const& message : asked.messages) server.call(message);
    }
    return (server.cpu_seconds() - before) * 1e6 / rounds;
}

double copy_microseconds(std::string const& bytes) {
    std::vector<char> copy(bytes.size());
    auto const before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
    return (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before) * 1e6;
}

template <class Way>
void large(benchmark::State& state, Work const& work) {
    pin_to_one_core();
    Way server(work.options);
    auto const asked = ask(server, work);
    Way floor(asked.answer);
    cpu_of(server, asked);
    cpu_of(floor, asked);
    double copied = 1e9;
    for (int i = 0; i < 10; ++i) copied = std::min(copied, copy_microseconds(asked.answer));
    auto const served = measure_beside_floor(
        state, [&] { return cpu_of(server, asked); }, [&] { return cpu_of(floor, asked); });
    auto const bytes = static_cast<double>(asked.bytes);
    state.counters["memcpy_us"] = copied * static_cast<double>(asked.messages.size());
    state.counters["bytes"] = bytes;
    state.counters["ns/B"] = served * 1e3 / bytes;
}

template <class Way>
void large_text(benchmark::State& state) {
    large<Way>(state, text_work());
}
template <class Way>
void large_blob(benchmark::State& state) {
    large<Way>(state, blob_work());
}
template <class Way>
void list_first_page(benchmark::State& state) {
    large<Way>(state, list_work(false));
}
template <class Way>
void list_whole(benchmark::State& state) {
    large<Way>(state, list_work(true));
}

void often(benchmark::internal::Benchmark* one) {
    one->Iterations(20)->Unit(benchmark::kMillisecond);
}
void seldom(benchmark::internal::Benchmark* one) {
    one->Iterations(5)->Unit(benchmark::kMillisecond);
}

BENCHMARK(large_text<Stdio>)->Name("large_text/stdio")->Apply(often);
BENCHMARK(large_text<Http>)->Name("large_text/http")->Apply(often);
BENCHMARK(large_blob<Stdio>)->Name("large_blob/stdio")->Apply(seldom);
BENCHMARK(large_blob<Http>)->Name("large_blob/http")->Apply(seldom);
BENCHMARK(list_first_page<Stdio>)->Name("list_of_1000_first_page/stdio")->Apply(often);
BENCHMARK(list_first_page<Http>)->Name("list_of_1000_first_page/http")->Apply(often);
BENCHMARK(list_whole<Stdio>)->Name("list_of_1000_whole/stdio")->Apply(often);
BENCHMARK(list_whole<Http>)->Name("list_of_1000_whole/http")->Apply(often);

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}

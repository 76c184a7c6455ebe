// The program that tools/cost runs under callgrind. With --inside it makes the calls itself,
// between marks. With --serve it serves over stdio, HTTP, WebSocket and TCP at once, and tools/cost
// sets the marks from outside.
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/client.hpp"
#include "lanyard/json.hpp"
#include "lanyard/listen.hpp"
#include "lanyard/schema.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/connect.hpp"
#include "lanyard/transport/together.hpp"
#include "samples.hpp"
#include "server_tools.hpp"

namespace lanyard::cost {
namespace {

// Does not advance, so that the cost does not depend on durations: no alarm goes off and no handler
// counts as slow. Setting an alarm costs as much as usual.
class StillTime final : public TimeSource {
public:
    TimePoint now() const noexcept override { return now_; }
    WallTime wall() const noexcept override { return WallTime(std::chrono::hours(24 * 365 * 50)); }
    std::unique_ptr<Alarm> make_alarm(boost::asio::any_io_executor executor,
                                      std::function<void()> ring) override {
        return std::make_unique<FarAlarm>(
            real_time().make_alarm(std::move(executor), std::move(ring)));
    }

private:
    class FarAlarm final : public Alarm {
    public:
        explicit FarAlarm(std::unique_ptr<Alarm> alarm) : alarm_(std::move(alarm)) {}
        void set(TimePoint when) override {
            constexpr auto far = std::chrono::hours(24);
            alarm_->set(when < TimePoint::max() - far ? when + far : when);
        }

    private:
        std::unique_ptr<Alarm> alarm_;
    };

    TimePoint now_ = real_time().now();
};

// Loops over calls: first a round in which buffers grow, then several rounds between marks. A round
// without calls measures the cost of the marks.
class Rounds {
public:
    explicit Rounds(std::string path) : path_(std::move(path)) {}

    bool next() {
        if (left_ > 0) {
            --left_;
            return true;
        }
        if (round_ > 0) bench::mark(path_ + " " + std::to_string(calls));
        if (round_ == rounds) return false;
        ++round_;
        bench::mark("-");
        bench::mark(path_ + " 000");  // same length as the other label, so the same allocations
        left_ = calls - 1;
        return true;
    }

private:
    static constexpr int calls = 640;
    static constexpr int rounds = 3;
    std::string path_;
    int left_ = 64;
    int round_ = 0;
};

void validate_arguments() {
    auto const schema = json::parse(bench::tool_schema).value();
    auto const validator = schema::Validator::compile(schema).value();
    json::Document document;
    auto const view = document.parse(bench::tool_arguments).value();
    for (Rounds rounds("schema"); rounds.next();) {
        if (!validator.validate(view).has_value()) throw Error(Errc::failed, "not valid");
    }
}

Task<> call_add(Client client, std::string path) {
    bench::Add numbers;
    numbers.a = 1;
    numbers.b = 2;
    Rounds rounds(std::move(path));
    while (rounds.next()) {
        auto const sum = co_await client.call<bench::Sum>("add", numbers);
        if (sum.sum != 3) throw Error(Errc::failed, "a wrong sum");
    }
}

Task<> call_in_memory(Server& server, TimeSource& time, Era era, std::string path) {
    auto const client = co_await testing::connect(server, era, ClientOptions().time(time));
    co_await call_add(client, std::move(path));
}

// The server runs on the same thread as the client, so the order of the events is always the same.
Task<> call_over_http(std::string url, TimeSource& time, Version version, std::string path) {
    auto connector = http_connector(std::move(url), HttpClientOptions().no_proxy().time(time));
    ClientOptions options;
    options.time(time).versions(std::vector(1, version));
    auto const client = co_await connect(std::move(connector), options);
    co_await call_add(client, std::move(path));
    client.close();
}

Task<> call_inside(Server& server, UrlListener& listener, TimeSource& time) {
    validate_arguments();
    co_await call_in_memory(server, time, Era::legacy, "memory-session");
    co_await call_in_memory(server, time, Era::modern, "memory-modern");
    auto const url = "http://127.0.0.1:" + std::to_string(listener.port()) + "/mcp";
    auto const executor = co_await boost::asio::this_coro::executor;
    boost::asio::co_spawn(executor, server.run_async(listener), boost::asio::detached);
    co_await call_over_http(url, time, Version::v2025_11_25, "http-client-session");
    co_await call_over_http(url, time, Version::v2026_07_28, "http-client-modern");
    listener.stop();
}

int serve(Server& server) {
    auto http =
        listen("http://127.0.0.1:0/mcp", HttpServerOptions().mcp(McpHttpOptions().websocket()));
    auto tcp = listen("tcp://127.0.0.1:0");
    std::fprintf(stderr, "ports %d %d\n", http->port(), tcp->port());
    std::vector<std::unique_ptr<Listener>> listeners;
    listeners.push_back(std::move(http));
    listeners.push_back(std::move(tcp));
    listeners.push_back(stdio());
    return server.run(together(std::move(listeners)));
}

}  // namespace
}  // namespace lanyard::cost

int main(int argc, char** argv) {
    using namespace lanyard;
    std::string_view const what = argc == 2 ? argv[1] : "";
    cost::StillTime time;
    Server server("cost_probe", "1.0.0", ServerOptions().time(time));
    bench::add_plain_tools(server);
    bench::add_mark_tool(server);
    bench::add_many_tools(server);
    server.tool("report", "Reports how far it is", [](bench::Add in, Context& context) {
        context.report_progress(in.a, in.b);
        return std::string_view("done");
    });
    std::fputs("built with " LANYARD_COST_BUILT_WITH "\n", stderr);
    if (what == "--inside") {
        auto const listener = listen("http://127.0.0.1:0/mcp");
        return run(cost::call_inside(server, *listener, time));
    }
    if (what == "--serve") return cost::serve(server);
    std::fputs("usage: cost_probe --inside | --serve\n", stderr);
    return 1;
}

// Snippets of docs/testing.md.
#include <lanyard/client.hpp>
#include <lanyard/server.hpp>
#include <lanyard/testing/connect.hpp>
#include <lanyard/testing/failing_transport.hpp>
#include <lanyard/testing/fake_time.hpp>
#include <lanyard/testing/scripted_peer.hpp>
#include <lanyard/testing/validate_transport.hpp>
#include <lanyard/transport/memory.hpp>

#include <array>
#include <iostream>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

using namespace std::chrono_literals;

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

struct Greet {
    std::string name;
};
LANYARD_STRUCT(Greet, (name, "Who to greet"))

namespace {

void expect(bool holds) {
    if (!holds) throw std::runtime_error("a snippet does not do what its page promises");
}

// [server]
void add_tools(lanyard::Server& server) {
    server.tool("greet", "Say hello to someone",
                [](Greet in) { return "Hello, " + in.name + "!"; });
}

lanyard::Task<> greets() {
    for (auto const era : {lanyard::Era::legacy, lanyard::Era::modern}) {
        lanyard::Server server("greeter", "1.0.0");
        add_tools(server);
        auto const client = co_await lanyard::testing::connect(server, era);
        Greet ada;
        ada.name = "Ada";
        auto const text = co_await client.call<std::string>("greet", ada);
        expect(text == "Hello, Ada!");
    }
}
// [/server]

// [time]
void gives_up_after_half_a_minute() {
    boost::asio::io_context loop;
    lanyard::testing::FakeTime time;
    lanyard::ServerOptions server_options;
    server_options.time(time);
    lanyard::Server server("sleeper", "1.0.0", server_options);
    auto const sleep = [&time]() -> lanyard::Task<> { co_await lanyard::sleep_for(time, 1h); };
    server.tool("sleep", "Takes an hour", sleep);

    bool timed_out = false;
    auto const call = [&]() -> lanyard::Task<> {
        lanyard::ClientOptions options;
        options.time(time);
        auto const client =
            co_await lanyard::testing::connect(server, lanyard::Era::modern, options);
        try {
            co_await client.call_tool("sleep");
        } catch (lanyard::Error const& error) {
            timed_out = error.is(lanyard::Errc::timeout);
        }
    };
    boost::asio::co_spawn(loop, call(), boost::asio::detached);
    loop.poll();
    time.advance(30s);
    loop.restart();
    loop.poll();
    expect(timed_out);
}
// [/time]

// [scripted]
lanyard::Task<> client_survives_a_strange_server() {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto ends = lanyard::memory_pair(executor, executor);
    lanyard::testing::ScriptedPeer server(std::move(ends.second));

    auto const client_side = [](std::unique_ptr<lanyard::Transport> end) -> lanyard::Task<> {
        lanyard::ClientOptions options;
        options.preferred_version(lanyard::Version::v2025_11_25);
        auto const client = co_await lanyard::connect(std::move(end), options);
        co_await client.ping();
    };
    boost::asio::co_spawn(executor, client_side(std::move(ends.first)), boost::asio::detached);

    auto const opening = co_await server.expect_request("initialize");
    lanyard::rpc::Response answer;
    answer.id = opening.id;
    answer.result = lanyard::Json{{"protocolVersion", "2025-11-25"},
                                  {"capabilities", lanyard::JsonObject()},
                                  {"serverInfo", {{"name", "odd"}, {"version", "1"}}}};
    co_await server.send_message(answer);
    co_await server.expect_notification("notifications/initialized");
    co_await server.send("this is not JSON");
    co_await server.expect_like(R"({"method":"ping"})");
}
// [/scripted]

// [failing]
lanyard::Task<bool> greet_over(std::shared_ptr<lanyard::testing::FaultPlan> plan) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto ends = lanyard::memory_pair(executor, executor);
    lanyard::Server server("greeter", "1.0.0");
    add_tools(server);
    boost::asio::co_spawn(executor, server.serve(std::move(ends.second)), boost::asio::detached);
    auto failing = lanyard::testing::failing_transport(std::move(ends.first), plan);
    try {
        auto const client = co_await lanyard::connect(std::move(failing));
        Greet ada;
        ada.name = "Ada";
        co_await client.call<std::string>("greet", ada);
        co_return true;
    } catch (lanyard::Error const&) {
        co_return false;
    }
}

lanyard::Task<> survives_every_failure() {
    auto const count = std::make_shared<lanyard::testing::FaultPlan>();
    bool const works = co_await greet_over(count);
    expect(works);
    auto const operations = count->operations();
    for (std::uint64_t n = 1; n <= operations; ++n) {
        auto const plan =
            std::make_shared<lanyard::testing::FaultPlan>(n, lanyard::testing::Fault::error);
        co_await greet_over(plan);
        expect(plan->has_fired());
    }
}
// [/failing]

// [transport]
// One message per line over a Unix socket.
class LineTransport final : public lanyard::Transport {
public:
    using Frames = std::span<lanyard::rpc::Frame const>;

    explicit LineTransport(Socket socket) : socket_(std::move(socket)) {}
    asio::any_io_executor executor() const override { return executor_; }

    lanyard::Task<std::optional<Frames>> read() override {
        input_.erase(0, taken_);
        taken_ = 0;
        frames_.clear();
        for (take_lines(); frames_.empty(); take_lines()) {
            std::array<char, 4096> bytes;
            auto const [error, size] =
                co_await socket_.async_read_some(asio::buffer(bytes), as_result);
            if (!socket_.is_open() || error == asio::error::eof) co_return std::nullopt;
            if (error == asio::error::operation_aborted) throw boost::system::system_error(error);
            if (error) throw lanyard::Error(lanyard::Errc::transport_down, error.message());
            input_.append(bytes.data(), size);
            info_.bytes_in += size;
        }
        co_return Frames(frames_);
    }

    lanyard::Task<> write(lanyard::rpc::Outbox& outbox) override {
        while (!outbox.empty()) {
            auto const line = std::string(outbox.front()) + '\n';
            outbox.pop();
            auto const [error, size] =
                co_await asio::async_write(socket_, asio::buffer(line), as_result);
            if (error) throw lanyard::Error(lanyard::Errc::transport_down, error.message());
            ++info_.messages_out;
            info_.bytes_out += size;
        }
    }

    void close() noexcept override { socket_.close(ignored_); }
    void close_output() noexcept override { socket_.shutdown(Socket::shutdown_send, ignored_); }
    lanyard::TransportInfo info() const override { return info_; }
    lanyard::TransportTraits traits() const noexcept override { return {.half_closes = true}; }

private:
    void take_lines() {
        for (auto end = input_.find('\n', taken_); end != input_.npos;
             end = input_.find('\n', taken_)) {
            auto const text = std::string_view(input_).substr(taken_, end - taken_);
            frames_.push_back({lanyard::rpc::Frame::Kind::message, text});
            taken_ = end + 1;
            ++info_.messages_in;
        }
    }

    Socket socket_;
    asio::any_io_executor executor_ = socket_.get_executor();
    boost::system::error_code ignored_;
    std::string input_;
    std::size_t taken_ = 0;  // bytes of the input that are already in frames
    std::vector<lanyard::rpc::Frame> frames_;
    lanyard::TransportInfo info_{.kind = "lines", .peer = {}};
};
// [/transport]

// [validate]
lanyard::Task<> transport_keeps_its_promises() {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto const make = [executor]() -> lanyard::Task<lanyard::testing::TransportPair> {
        Socket left(executor);
        Socket right(executor);
        asio::local::connect_pair(left, right);
        lanyard::testing::TransportPair pair;
        pair.first = std::make_unique<LineTransport>(std::move(left));
        pair.second = std::make_unique<LineTransport>(std::move(right));
        co_return pair;
    };
    auto const report = co_await lanyard::testing::validate_transport(make);
    std::cout << report.to_string();
    expect(report.passed());
}
// [/validate]

lanyard::Task<> all() {
    co_await greets();
    co_await client_survives_a_strange_server();
    co_await survives_every_failure();
    co_await transport_keeps_its_promises();
}

}  // namespace

int main() {
    gives_up_after_half_a_minute();
    return lanyard::run(all());
}

// The memory cost of calls over HTTP: no allocation per call once all buffers have grown, and
// little memory for an idle session or stream.
#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

#include <boost/asio/dispatch.hpp>

#include "allocation_count.hpp"
#include "lanyard/reflect.hpp"
#include "lanyard/server/server.hpp"
#include "mcp_bench.hpp"

namespace lanyard::test {
namespace {

// A reply that is reused for every request and keeps only the last answer.
class ReusedReply final : public http::Reply {
public:
    void watch(http::ReplyWatcher*) noexcept override {}
    std::string& begin_full(http::ReplyHead const&) override {
        body.clear();
        return body;
    }
    void end_full() override { ++answers; }
    void begin_stream(http::ReplyHead const&) override { body.clear(); }
    std::string& begin_chunk() override { return body; }
    void end_chunk() override {}
    void flush() override {}
    void finish() override { ++answers; }
    void copy(std::string_view) override {}
    void end_copy(bool) override { ++answers; }
    std::size_t unsent() const noexcept override { return 0; }
    bool behind() const noexcept override { return false; }
    bool open() const noexcept override { return true; }
    void upgrade(std::unique_ptr<http::Upgrade>) override {}
    void cut() noexcept override {}

    std::string body;
    int answers = 0;
};

struct Text {
    std::string text;
};
LANYARD_STRUCT(Text, text)

struct Served {
    explicit Served(McpHttpOptions const& options = {})
        : server(Implementation{.name = "test", .version = "1"}, ServerOptions().time(time)),
          bench(server, time, options) {
        server.tool("echo", "", [](Text const& in) { return in.text; }, ToolOptions().inline_());
        server.tool("work", "", [](Text const& in) { return in.text; }, ToolOptions().blocking());
        server.tool("task", "", [](Text in) -> Task<std::string> { co_return in.text; });
        auto const compose = [](Text const& in) {
            CallToolResult result;
            result.content.emplace_back(TextContent{.text = in.text});
            return result;
        };
        server.tool("compose", "", compose, ToolOptions().inline_());
    }

    // Returns the allocations per call, averaged over many equal calls.
    double cost(std::string const& body, Headers const& headers) {
        auto const call = bench.post(body, headers);
        EXPECT_EQ(call->status(), http::Status::ok) << call->text();
        auto const text = call->text();
        ReusedReply reply;
        http::HttpRequest const request{call->reader.head(), call->admission, body,
                                        call->principal,     "192.0.2.1:1",   time.now(),
                                        call->attachment};
        std::uint64_t before = 0;
        constexpr int calls = 100;
        bench.on_executor([&] {
            for (int i = 0; i < 20; ++i) bench.endpoint->on_request(request, reply);
            before = bench::allocation_count();
            for (int i = 0; i < calls; ++i) bench.endpoint->on_request(request, reply);
            before = bench::allocation_count() - before;
        });
        EXPECT_EQ(reply.answers, calls + 20);
        EXPECT_EQ(reply.body, text);
        return static_cast<double>(before) / calls;
    }

    testing::FakeTime time;
    Server server;
    McpBench bench;
};

std::string const call_body =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",)"
    R"("arguments":{"text":"short"}}})";
std::string const stateless_body =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",)"
    R"("arguments":{"text":"short"},)"
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

TEST(Allocations, a_stateless_call_allocates_nothing) {
    Served served;
    EXPECT_EQ(
        served.cost(stateless_body, with(stateless_headers("tools/call"), "Mcp-Name", "echo")), 0);
}

TEST(Allocations, a_call_in_a_session_allocates_nothing) {
    Served served;
    EXPECT_EQ(served.cost(call_body, served.bench.open()), 0);
}

TEST(Allocations, a_call_to_a_server_without_sessions_allocates_nothing) {
    Served served(McpHttpOptions().sessions(Sessions::stateless));
    EXPECT_EQ(served.cost(call_body, {{"MCP-Protocol-Version", "2025-11-25"}}), 0);
}

// The bytes in use according to malloc; 0 with sanitizers, which replace malloc.
std::size_t used_bytes() {
    return ::mallinfo2().uordblks;
}

TEST(Memory, an_idle_session_and_its_stream_are_small) {
    if (used_bytes() == 0) GTEST_SKIP() << "malloc does not tell";
    constexpr std::size_t count = 1000;
    std::vector<ReusedReply> replies(count);
    for (auto& reply : replies) reply.body.reserve(256);
    Served served(McpHttpOptions().max_sessions(2 * count));
    std::vector<Headers> sessions;
    sessions.reserve(count);
    auto const open = [&] {
        auto headers = served.bench.open();
        served.bench.forget_calls();
        sessions.push_back(std::move(headers));
    };
    for (int i = 0; i < 10; ++i) open();
    auto before = used_bytes();
    for (std::size_t i = 10; i < count; ++i) open();
    auto const per_session = (used_bytes() - before) / (count - 10);

    // The memory that a session holds after it was used.
    before = used_bytes();
    for (auto const& session : sessions) {
        served.bench.post(call_body, session);
        served.bench.forget_calls();
    }
    auto const after_call = (used_bytes() - before) / count;

    // The memory of the stream without its connection.
    before = used_bytes();
    for (std::size_t i = 0; i < count; ++i) {
        served.bench.stream_to(replies[i], sessions[i]);
    }
    auto const per_stream = (used_bytes() - before) / count;
    RecordProperty("bytes_per_session", static_cast<int>(per_session));
    std::printf("idle session: %zu bytes, after a call %zu more, stream %zu more\n", per_session,
                after_call, per_stream);
    EXPECT_LE(per_session, 12'000U);
    EXPECT_LE(per_stream, 5'000U);
}

// The bytes in use, including blocks that malloc has mapped separately.
std::size_t live_bytes() {
    auto const info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Makes a call with a text of this size and waits for its answer.
void call_once(Served& served, std::string const& tool, std::size_t size, bool stateless) {
    auto const text = std::string(size, 'x');
    auto const params = R"("name":")" + tool + R"(","arguments":{"text":")" + text + R"("})";
    std::shared_ptr<Call> call;
    if (stateless) {
        call = served.bench.post(stateless_request("tools/call", "," + params),
                                 with(stateless_headers("tools/call"), "Mcp-Name", tool));
    } else {
        auto const headers = served.bench.open();
        call = served.bench.post(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + params + "}}", headers);
    }
    for (int i = 0; i < 20'000 && !call->reply.ended(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        served.bench.run();
    }
    EXPECT_TRUE(call->reply.ended());
    EXPECT_NE(call->text().find(text), std::string::npos);
}

// Makes such a call and returns the bytes in use after it.
std::size_t live_after(Served& served, std::string const& tool, std::size_t size, bool stateless) {
    call_once(served, tool, size, stateless);
    served.bench.forget_calls();
    // Waits until the events stored for resumption have expired; they have a separate limit.
    served.bench.advance(std::chrono::minutes(6));
    return live_bytes();
}

TEST(Memory, a_large_call_leaves_no_large_buffers) {
    if (used_bytes() == 0) GTEST_SKIP() << "malloc does not tell";
    for (bool const stateless : {true, false}) {
        for (std::string const tool : {"echo", "work", "task", "compose"}) {
            Served served;
            live_after(served, tool, 10, stateless);
            auto const before = live_after(served, tool, 10, stateless);
            auto const after = live_after(served, tool, 4'000'000, stateless);
            EXPECT_LT(after, before + 200'000)
                << tool << (stateless ? " stateless" : " in a session");
        }
    }
}

TEST(Memory, large_calls_at_the_same_time_leave_no_large_buffers) {
    if (used_bytes() == 0) GTEST_SKIP() << "malloc does not tell";
    Served served;
    auto const text = std::string(1'000'000, 'x');
    auto const body =
        stateless_request("tools/call", R"(,"name":"work","arguments":{"text":")" + text + R"("})");
    auto const headers = with(stateless_headers("tools/call"), "Mcp-Name", "work");
    auto const before = live_after(served, "work", 10, true);
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 20; ++i) calls.push_back(served.bench.post(body, headers));
    auto const ended = [&] {
        return std::all_of(calls.begin(), calls.end(),
                           [](auto const& call) { return call->reply.ended(); });
    };
    for (int i = 0; i < 20'000 && !ended(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        served.bench.run();
    }
    EXPECT_TRUE(ended());
    calls.clear();
    EXPECT_LT(live_after(served, "work", 10, true), before + body.size() + 500'000);
}

}  // namespace
}  // namespace lanyard::test

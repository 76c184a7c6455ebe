// A whole session without a real transport: a call is read, routed, run and answered.
#include <benchmark/benchmark.h>

#include <span>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "count_allocations.hpp"
#include "jsonrpc/envelope.hpp"
#include "lanyard/server.hpp"
#include "peer/responder.hpp"
#include "runtime/event.hpp"
#include "samples.hpp"
#include "server_tools.hpp"

namespace lanyard::bench {

struct Say {
    std::string text;
    int times = 1;
    bool loud = false;
    std::vector<std::string> tags;
};
LANYARD_STRUCT(Say, (text, "What to say"), (times, "How often", defaulted), (loud, "", defaulted),
               (tags, "", defaulted))

namespace {

constexpr auto modern_call =
    R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"echo","arguments":)"
    R"({"text":"the quick brown fox jumps over the lazy dog","times":3},"_meta":)"
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

std::vector<std::string> opening() {
    return {std::string(initialize_message), std::string(initialized_message)};
}

// Returns the opening messages, then calls until the tool counts as fast, then the message of the
// benchmark for as long as it runs. The server's output is discarded.
class BenchTransport final : public Transport {
public:
    BenchTransport(boost::asio::any_io_executor executor, benchmark::State& state,
                   std::vector<std::string> opening, std::string message)
        : executor_(std::move(executor)),
          state_(state),
          opening_(std::move(opening)),
          message_(std::move(message)),
          frame_{rpc::Frame::Kind::message, message_},
          written_(executor_) {}

    boost::asio::any_io_executor executor() const override { return executor_; }
    Task<std::optional<std::span<rpc::Frame const>>> read() override {
        if (step_ < opening_.size()) {
            first_ = {rpc::Frame::Kind::message, opening_[step_++]};
            co_return std::span<rpc::Frame const>(&first_, 1);
        }
        // Each message waits for the answer to the previous one.
        while (answers_ < expected_) {
            waiting_ = true;
            co_await written_.wait();
            waiting_ = false;
        }
        if (warm_up_ > 0) {
            --warm_up_;
            ++expected_;
            co_return std::span<rpc::Frame const>(&frame_, 1);
        }
        if (!counting_) counting_.emplace(state_);
        if (!state_.KeepRunning()) {
            counting_.reset();
            state_.counters["answer_bytes"] = static_cast<double>(answer_bytes_);
            co_return std::nullopt;
        }
        ++expected_;
        co_return std::span<rpc::Frame const>(&frame_, 1);
    }
    void write_now(rpc::Outbox& outbox) noexcept override {
        answers_ += outbox.count();
        answer_bytes_ = outbox.bytes().size();
        outbox.clear();
        if (waiting_) written_.notify();
    }
    Task<> write(rpc::Outbox& outbox) override {
        write_now(outbox);
        co_return;
    }
    void close() noexcept override {}
    TransportInfo info() const override { return {}; }

    void expect(std::size_t answers) { expected_ = answers; }

private:
    boost::asio::any_io_executor executor_;
    benchmark::State& state_;
    std::vector<std::string> opening_;
    std::string message_;
    rpc::Frame frame_;
    rpc::Frame first_{};
    runtime::Event written_;
    std::size_t step_ = 0;
    std::size_t answers_ = 0;
    std::size_t answer_bytes_ = 0;
    std::size_t expected_ = 0;
    int warm_up_ = 50;
    bool waiting_ = false;
    std::optional<CountAllocations> counting_;
};

void serve(benchmark::State& state, Server& server, std::vector<std::string> opening,
           std::size_t answers, std::string message) {
    boost::asio::io_context context(1);
    auto transport = std::make_unique<BenchTransport>(context.get_executor(), state,
                                                      std::move(opening), std::move(message));
    transport->expect(answers);
    boost::asio::co_spawn(context, server.serve(std::move(transport)), boost::asio::detached);
    context.run();
}

void serve_call(benchmark::State& state) {
    Server server("bench", "1");
    server.tool("echo", "", [](Say in) { return in.text; });
    serve(state, server, opening(), 1, call_message());
}

// The part of serve_call that belongs to the handler: its input and its result.
void serve_call_handler(benchmark::State& state) {
    json::Document document;
    auto const text = call_message();
    auto const arguments = document.parse(text)->find("params")->find("arguments");
    std::string reply;
    CountAllocations const counting(state);
    for (auto _ : state) {
        auto const handler = [](Say in) { return in.text; };
        reply.assign(handler(*decode<Say>(*arguments)));
        benchmark::DoNotOptimize(reply);
    }
}

// Without texts, for which the handler's types would allocate memory.
void serve_add(benchmark::State& state) {
    Server server("bench", "1");
    server.tool("add", "", [](Add in) { return Sum{in.a + in.b}; });
    serve(state, server, opening(), 1,
          R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"add","arguments":)"
          R"({"a":1,"b":2}}})");
}

// Receives and discards the answers to stateless requests.
class BenchResponder final : public rpc::Responder {
public:
    bool attach(rpc::InboundWork&) override { return true; }
    bool active() const noexcept override { return true; }
    bool can_stream() const noexcept override { return true; }
    std::string* begin_result() override {
        out_.clear();
        return &out_;
    }
    void end_result() override { ++answers; }
    void fail(wire::WireError const&) override {}
    void abandon() override {}
    void notify(std::string_view, std::string_view) override {}
    void flush() override {}

    std::size_t answers = 0;

private:
    std::string out_;
};

// The same call as a stateless request, whose metadata is read, too.
void stateless_add(benchmark::State& state) {
    Server server("bench", "1");
    server.tool("add", "", [](Add in) { return Sum{in.a + in.b}; });
    boost::asio::io_context context(1);
    auto const entry = rpc::RequestEntry::open(server, context.get_executor());
    std::string const message =
        R"({"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"add","arguments":)"
        R"({"a":1,"b":2},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},)"
        R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
    auto const info = std::make_shared<PeerInfo>();
    rpc::EnvelopeReader reader;
    BenchResponder responder;
    auto const serve_one = [&] {
        auto const expected = responder.answers + 1;
        entry->handle(*reader.read(message), info, responder, server.time().now());
        // The tool runs on a worker until it counts as fast.
        while (responder.answers < expected) {
            context.restart();
            context.run_one();
        }
    };
    for (int i = 0; i < 50; ++i) serve_one();
    CountAllocations const counting(state);
    for (auto _ : state) serve_one();
}

void serve_call_with_metadata(benchmark::State& state) {
    Server server("bench", "1");
    server.tool("echo", "", [](Say in) { return in.text; });
    serve(state, server, {}, 0, modern_call);
}

void serve_dynamic_call(benchmark::State& state) {
    Server server("bench", "1");
    Tool tool;
    tool.name = "echo";
    tool.input_schema = schema_text_of<Say>();
    server.add_tool(tool, [](JsonObject const& arguments) {
        return std::string(arguments.at("text").as_string());
    });
    serve(state, server, opening(), 1, call_message());
}

// A list of 30 KB.
void serve_list(benchmark::State& state) {
    Server server("bench", "1");
    for (int i = 0; i < 72; ++i) {
        server.tool("tool_" + std::to_string(i),
                    "Does one of the many things that a tool can do, and says so in a sentence of "
                    "ordinary length.",
                    [](Say in) { return in.text; });
    }
    serve(state, server, opening(), 1, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
}

}  // namespace

BENCHMARK(serve_add);
BENCHMARK(stateless_add);
BENCHMARK(serve_call);
BENCHMARK(serve_call_handler);
BENCHMARK(serve_call_with_metadata);
BENCHMARK(serve_dynamic_call);
BENCHMARK(serve_list);

}  // namespace lanyard::bench

// HTTP/1.1 without sockets: reading and admitting a request, writing its response, event streams.
// Beast's parser with its own fields is measured for comparison. The targets are in
// bench/targets.txt.
#include <benchmark/benchmark.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "count_allocations.hpp"
#include "http/message/sse_parser.hpp"
#include "http/message/sse_writer.hpp"
#include "http/server/admission.hpp"
#include "http/server/reply_writer.hpp"
#include "samples.hpp"

namespace lanyard::bench {
namespace {

std::string request_text() {
    auto const body = call_message();
    return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: keep-alive\r\n"
           "User-Agent: bench/1.0\r\nAccept: application/json, text/event-stream\r\n"
           "Content-Type: application/json\r\nMcp-Session-Id: abcdefghijklmnopqrstuvwx\r\n"
           "MCP-Protocol-Version: 2025-11-25\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

void http_read_request(benchmark::State& state) {
    auto const text = request_text();
    http::RequestReader reader;
    reader.feed(text);
    while (reader.next() != http::RequestReader::Event::done) continue;
    CountAllocations const count(state);
    for (auto _ : state) {
        reader.feed(text);
        while (reader.next() != http::RequestReader::Event::done) continue;
        benchmark::DoNotOptimize(reader.body().data());
    }
}
BENCHMARK(http_read_request);

void http_read_request_beast(benchmark::State& state) {
    namespace beast = boost::beast::http;
    auto const text = request_text();
    CountAllocations const count(state);
    for (auto _ : state) {
        beast::request_parser<beast::string_body> parser;
        parser.eager(true);
        boost::beast::error_code failure;
        parser.put(boost::asio::buffer(text), failure);
        benchmark::DoNotOptimize(parser.is_done());
    }
}
BENCHMARK(http_read_request_beast);

void http_admit(benchmark::State& state) {
    auto const gate = http::AdmissionGate::make({}, http::Router::make({}).value()).value();
    auto const text = request_text();
    http::RequestReader reader;
    reader.feed(text);
    reader.next();
    CountAllocations const count(state);
    for (auto _ : state) benchmark::DoNotOptimize(gate.admit(reader.head()).has_value());
}
BENCHMARK(http_admit);

void http_write_reply(benchmark::State& state) {
    auto const body = call_message();
    std::string out;
    out.reserve(4096);
    CountAllocations const count(state);
    for (auto _ : state) {
        out.clear();
        auto const begin = http::begin_reply(out, {.content = http::Content::json,
                                                   .session_id = "abcdefghijklmnopqrstuvwx",
                                                   .date = "Sun, 06 Nov 1994 08:49:37 GMT"});
        out += body;
        http::end_reply(out, begin);
        benchmark::DoNotOptimize(out.data());
    }
}
BENCHMARK(http_write_reply);

void sse_write(benchmark::State& state) {
    auto const body = call_message();
    std::string out;
    out.reserve(4096);
    CountAllocations const count(state);
    for (auto _ : state) {
        out.clear();
        auto const begin = http::begin_event(out, {.id = "abcdefghijklmnopqrstuvwx.1.1"});
        out += body;
        http::end_event(out, begin);
        benchmark::DoNotOptimize(out.data());
    }
}
BENCHMARK(sse_write);

void sse_parse(benchmark::State& state) {
    std::string text;
    http::append_event(text, {.id = "abcdefghijklmnopqrstuvwx.1.1", .event = "message"},
                       call_message());
    http::SseParser parser;
    for (int i = 0; i < 2; ++i) {
        parser.feed(text);
        while (parser.next()) continue;
    }
    CountAllocations const count(state);
    for (auto _ : state) {
        parser.feed(text);
        while (auto const event = parser.next()) benchmark::DoNotOptimize(event->data.data());
    }
}
BENCHMARK(sse_parse);

}  // namespace
}  // namespace lanyard::bench

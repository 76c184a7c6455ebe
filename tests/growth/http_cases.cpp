// HTTP messages and event streams that are expensive to read.
#include "growth_cases.hpp"
#include "http/mcp/event_log.hpp"
#include "http/message/media_type.hpp"
#include "http/message/sse_parser.hpp"
#include "http/message/sse_writer.hpp"
#include "http/server/request_reader.hpp"

namespace lanyard::growth {
namespace {

std::function<void()> parse_events(std::string text, std::size_t chunk) {
    return [text = std::move(text), chunk] {
        http::SseParser parser;
        for (std::size_t at = 0; at < text.size(); at += chunk) {
            parser.feed(std::string_view(text).substr(at, chunk));
            while (parser.next()) continue;
        }
    };
}

std::string repeated(std::string_view part, std::size_t size) {
    std::string text;
    while (text.size() < size) text += part;
    return text;
}

std::function<void()> read_requests(std::string text, std::size_t chunk) {
    return [text = std::move(text), chunk] {
        http::RequestLimits limits;
        limits.max_head_bytes = text.size();
        limits.max_body_bytes = text.size();
        http::RequestReader reader(limits);
        for (std::size_t at = 0; at < text.size(); at += chunk) {
            reader.feed(std::string_view(text).substr(at, chunk));
            using Event = http::RequestReader::Event;
            for (auto event = reader.next(); event != Event::need_more && event != Event::failed;) {
                event = reader.next();
            }
        }
    };
}

}  // namespace

std::vector<Case> http_cases() {
    return {
        {"an event stream one byte at a time",
         [](std::size_t n) { return parse_events("data: " + std::string(n, 'x') + "\n\n", 1); }},
        {"an event stream of empty lines, CR only",
         [](std::size_t n) { return parse_events(std::string(n, '\r'), n); }},
        {"an event stream of empty lines, LF only",
         [](std::size_t n) { return parse_events(std::string(n, '\n'), n); }},
        {"an event of many lines",
         [](std::size_t n) { return parse_events(repeated("data:x\n", n) + "\n", 4096); }},
        {"an event stream of ids",
         [](std::size_t n) { return parse_events(repeated("id:1\n\n", n), n); }},
        {"writing an event of many lines",
         [](std::size_t n) {
             return [data = std::string(n, '\n')] {
                 std::string out;
                 auto const begin = http::begin_event(out, {});
                 out += data;
                 http::end_event(out, begin);
             };
         }},
        {"a request one byte at a time",
         [](std::size_t n) {
             return read_requests(
                 "POST / HTTP/1.1\r\nHost: a\r\nX: " + std::string(n, 'x') + "\r\n\r\n", 1);
         }},
        {"a body in chunks of one byte",
         [](std::size_t n) {
             return read_requests(
                 "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                     repeated("1\r\nx\r\n", n),
                 1000);
         }},
        {"many requests in one piece",
         [](std::size_t n) {
             auto text = repeated("GET / HTTP/1.1\r\nHost: a\r\n\r\n", n);
             return read_requests(std::move(text), n);
         }},
        {"a long list of media ranges",
         [](std::size_t n) {
             return [text = repeated("a/b;c=\"d,\\\"\";q=0,", n)] {
                 http::Fields fields;
                 fields.add("Accept", text);
                 static_cast<void>(http::read_acceptance(fields));
             };
         }},
        {"events of one session, kept and dropped",
         [](std::size_t n) {
             return [n] {
                 http::MemoryEventStore store;
                 auto const log = store.open_log("s");
                 for (std::size_t i = 0; i < n; ++i) {
                     auto const stream = log->open();
                     log->append(stream, "x", TimePoint());
                     log->finish(stream);
                 }
             };
         },
         10'000},
    };
}

}  // namespace lanyard::growth

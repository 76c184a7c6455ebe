// Handling a request does not allocate once the server's buffers have grown.
#include <gtest/gtest.h>

#include <string>

#include "allocation_count.hpp"
#include "http/message/sse_writer.hpp"
#include "http/server/admission.hpp"
#include "http/server/reply_writer.hpp"

namespace lanyard::http {
namespace {

TEST(Allocations, reading_admitting_and_answering_a_request_allocates_nothing) {
    auto const gate = AdmissionGate::make({}, Router::make({}).value()).value();
    std::string const request =
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: test/1.0\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "Mcp-Session-Id: abcdefghijklmnopqrstuvwx\r\nMCP-Protocol-Version: 2025-11-25\r\n"
        "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789\r\n"
        "Content-Length: 46\r\n\r\n"
        R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    RequestReader reader;
    std::string out;
    HttpDate date;
    auto const serve = [&](int second) {
        out.clear();
        reader.feed(request);
        ASSERT_EQ(reader.next(), RequestReader::Event::head);
        auto const admission = gate.admit(reader.head());
        ASSERT_TRUE(admission);
        ASSERT_EQ(reader.next(), RequestReader::Event::body);
        ASSERT_EQ(reader.body().size(), 46U);
        ASSERT_EQ(reader.next(), RequestReader::Event::done);
        ReplyHead const head{.content = Content::json,
                             .session_id = "abcdefghijklmnopqrstuvwx",
                             .date = date.at(WallTime(std::chrono::seconds(second)))};
        auto const begin = begin_reply(out, head);
        out += reader.body();
        end_reply(out, begin);
        append_stream_head(out, {.content = Content::event_stream});
        auto const chunk = begin_chunk(out);
        auto const event = begin_event(out, {.id = "a-1", .event = "message"});
        out += reader.body();
        end_event(out, event);
        end_chunk(out, chunk);
        append_last_chunk(out);
    };
    serve(0);
    auto const before = bench::allocation_count();
    for (int i = 1; i <= 100; ++i) serve(i);
    EXPECT_EQ(bench::allocation_count(), before);
}

}  // namespace
}  // namespace lanyard::http

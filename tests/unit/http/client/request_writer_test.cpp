// Requests written by a client, read back by the server's reader.
#include "http/client/request_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server/admission.hpp"
#include "http/server/reply_writer.hpp"
#include "support/http.hpp"

namespace lanyard::http {
namespace {

using test::requests_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RequestWriter, writes_a_post_with_all_headers) {
    std::string more, out;
    append_header(more, "X-Custom", "1");
    append_request(out,
                   {.target = "/mcp",
                    .host = "localhost:8080",
                    .session_id = "s",
                    .protocol_version = "2025-11-25",
                    .authorization = "Bearer t",
                    .more = more},
                   "{}");
    EXPECT_THAT(requests_of({out}),
                ElementsAre("POST /mcp [Host=localhost:8080|"
                            "Accept=application/json, text/event-stream|Mcp-Session-Id=s|"
                            "MCP-Protocol-Version=2025-11-25|Authorization=Bearer t|X-Custom=1|"
                            "Content-Type=application/json|Content-Length=2] {}"));
}

TEST(RequestWriter, get_and_delete_have_no_body) {
    std::string out;
    append_request(out, {.method = Method::get,
                         .target = "/mcp?a",
                         .host = "a",
                         .takes_json = false,
                         .last_event_id = "e-1"});
    append_request(out, {.method = Method::delete_,
                         .target = "/mcp",
                         .host = "a",
                         .takes_json = false,
                         .takes_stream = false});
    append_request(out, {.method = Method::get, .target = "/", .host = "a", .takes_stream = false});
    EXPECT_THAT(requests_of({out}),
                ElementsAre("GET /mcp?a [Host=a|Accept=text/event-stream|Last-Event-ID=e-1] ",
                            "DELETE /mcp [Host=a] ", "GET / [Host=a|Accept=application/json] "));
}

TEST(RequestWriter, the_gate_admits_the_written_requests) {
    auto const gate = AdmissionGate::make({}, Router::make({}).value()).value();
    for (auto const method : {Method::post, Method::get, Method::delete_}) {
        std::string out;
        append_request(out, {.method = method, .target = "/mcp", .host = "localhost:1"});
        RequestReader reader;
        reader.feed(out);
        ASSERT_EQ(reader.next(), RequestReader::Event::head);
        EXPECT_TRUE(gate.admit(reader.head()));
    }
}

TEST(RequestWriter, writes_connect_requests_for_proxies) {
    std::string out;
    append_connect(out, "a.example:443", "Basic eA==");
    EXPECT_EQ(out,
              "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n"
              "Proxy-Authorization: Basic eA==\r\n\r\n");
    out.clear();
    append_connect(out, "a.example:443", "");
    EXPECT_EQ(out, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
}

TEST(RequestWriter, no_field_can_forge_a_line) {
    std::string out;
    append_request(out, {.target = "/", .host = "a", .authorization = "x\r\nEvil: y"}, "");
    EXPECT_THAT(requests_of({out}).at(0), HasSubstr("Authorization=x  Evil: y|"));
}

TEST(CustomHeaders, are_checked) {
    EXPECT_TRUE(check_custom_header("X-Api-Key", "secret"));
    EXPECT_TRUE(check_custom_header("Authorization", "Bearer x"));
    EXPECT_TRUE(check_custom_header("X", ""));
    EXPECT_THAT(check_custom_header("", "x").error().message, HasSubstr("token"));
    EXPECT_FALSE(check_custom_header("a b", "x"));
    EXPECT_FALSE(check_custom_header("a:", "x"));
    EXPECT_THAT(check_custom_header("A", "x\r\nB: y").error().message, HasSubstr("control"));
    for (auto const* name :
         {"host", "CONTENT-LENGTH", "Transfer-Encoding", "connection", "mcp-session-id",
          "Mcp-Param-Region", "mcp-param-x", "TE", "Last-Event-Id"}) {
        EXPECT_THAT(check_custom_header(name, "x").error().message, HasSubstr("transport")) << name;
    }
}

}  // namespace
}  // namespace lanyard::http

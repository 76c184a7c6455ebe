#include <gmock/gmock.h>

#include "integration/http/raw_client.hpp"
#include "integration/http/test_server.hpp"

namespace lanyard::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(HttpConnection, AnswersAndStaysOpen) {
    TestServer server;
    RawClient client(server.port());
    for (int i = 0; i < 3; ++i) {
        client.send(post_request("{}"));
        EXPECT_THAT(client.read_response(),
                    AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("{\"echo\":2}")));
    }
}

TEST(HttpConnection, AnswersPipelinedRequestsInOrder) {
    TestServer server;
    RawClient client(server.port());
    client.send(post_request("1") + post_request("wait") + post_request("333") +
                post_request("4444"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":1}"));
    ASSERT_TRUE(server.seen.await("request wait"));
    EXPECT_FALSE(client.readable(20));
    server.with_handler([](ScriptedHandler& handler) { handler.release(); });
    EXPECT_THAT(client.read_response(), EndsWith("released"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":3}"));
    EXPECT_THAT(client.read_response(), EndsWith("{\"echo\":4}"));
}

}  // namespace
}  // namespace lanyard::test

// A whole server with listen() and HttpMount.
#include "lanyard/listen.hpp"

#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "integration/http/listening.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ListenDeathTest, run_prints_why_it_cannot_listen_and_returns_1) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto const first = listen("http://127.0.0.1:0/mcp");
    Server server("test", "1");
    EXPECT_EXIT(std::exit(server.run(listen(first->url()))), ::testing::ExitedWithCode(1),
                "error: .*127.0.0.1.*already in use");
    EXPECT_EXIT(std::exit(server.run(listen("http://0.0.0.0:0/mcp"))), ::testing::ExitedWithCode(1),
                "error: .*allow_host\\(\\)");
}

TEST(Listen, a_listener_that_is_not_open_throws_the_reason) {
    auto const first = listen("http://127.0.0.1:0/mcp");
    auto const second = listen(first->url(), HttpServerOptions());
    EXPECT_THROW(second->url(), Error);
    EXPECT_THROW(second->port(), Error);
    EXPECT_THROW(second->reload_tls(), Error);
    EXPECT_EQ(second->describe(), first->url());
    EXPECT_THROW(listen("https://127.0.0.1:0/mcp")->port(), Error);
}

TEST(Listen, serves_stateless_requests) {
    Listening server;
    // During these calls the tool is classified as fast; from then on it is answered without a
    // stream.
    for (int i = 0; i < 20; ++i) {
        RawClient client(server.port());
        auto request = stateless_call();
        request.insert(request.find("Content-Length"), "Connection: close\r\n");
        client.send(request);
        EXPECT_THAT(client.read_to_end(), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("hello")));
    }
}

TEST(Listen, the_limit_of_a_body_may_be_raised_above_that_of_other_transports) {
    Listening server(HttpServerOptions().max_body_bytes(20'000'000));
    RawClient client(server.port());
    client.send(initialize);
    auto const session = session_fields(client.read_until("\r\n\r\n"));
    RawClient second(server.port());
    second.send(post_request(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":")" +
                                 std::string(18'000'000, 'x') + "\"}}}",
                             session));
    EXPECT_THAT(second.read_response(),
                AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr(R"("result":{})")));
}

TEST(Listen, serves_sessions) {
    Listening server;
    RawClient client(server.port());
    client.send(initialize);
    auto const session = session_fields(client.read_until("\r\n\r\n"));
    RawClient second(server.port());
    second.send(post_request(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session));
    EXPECT_THAT(second.read_response(), StartsWith("HTTP/1.1 202 "));
    second.send(post_request(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
                             R"({"name":"echo","arguments":{"text":"hello"}}})",
                             session));
    EXPECT_THAT(second.read_until("hello"), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(server.server().sessions().size(), 1u);
    RawClient stream(server.port());
    stream.send(get_request(session));
    EXPECT_THAT(stream.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
    server.end();
    EXPECT_THAT(stream.read_to_end(), ::testing::EndsWith("0\r\n\r\n"));
    EXPECT_FALSE(server.failed);
}

// Some clients give up the POST that carries an answer once they have the result of the call.
TEST(Listen, accepts_a_posted_answer_before_it_sends_the_result_of_the_call) {
    Listening server;
    server.server().tool("coroutine", "", [](Context& context) -> Task<std::string> {
        auto const sure = co_await context.elicit<Confirm>("sure", "Sure?");
        co_return sure ? "yes" : "no";
    });
    auto const wait = [](Context& context) {
        auto const sure = context.wait(context.elicit<Confirm>("sure", "Sure?"));
        return std::string(sure ? "yes" : "no");
    };
    server.server().tool("function", "", wait, ToolOptions().blocking());
    RawClient first(server.port());
    first.send(post_request(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                            R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},)"
                            R"("clientInfo":{"name":"test","version":"1"}}})"));
    auto const session = session_fields(first.read_until("\r\n\r\n"));
    RawClient answering(server.port());
    answering.send(
        post_request(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session));
    EXPECT_THAT(answering.read_response(), StartsWith("HTTP/1.1 202 "));
    for (std::string const tool : {"coroutine", "function"}) {
        for (int i = 1; i <= 20; ++i) {
            RawClient calling(server.port());
            calling.send(post_request(R"({"jsonrpc":"2.0","id":")" + tool + std::to_string(i) +
                                          R"(","method":"tools/call","params":{"name":")" + tool +
                                          R"(","arguments":{}}})",
                                      session));
            auto question = calling.read_until("elicitation/create");
            auto const id = question.substr(question.rfind(R"("id":)") + 5);
            answering.send(post_request(R"({"jsonrpc":"2.0","id":)" + id.substr(0, id.find(',')) +
                                            R"(,"result":{"action":"decline"}})",
                                        session));
            calling.read_until(R"("no")");
            ASSERT_TRUE(answering.readable(0)) << tool << " " << i;
            EXPECT_THAT(answering.read_response(), StartsWith("HTTP/1.1 202 "));
        }
    }
}

TEST(Listen, passes_the_principal_to_handlers) {
    Listening server(
        HttpServerOptions().verifier(bearer_tokens({BearerToken("secret").subject("ada")})));
    RawClient nobody(server.port());
    nobody.send(stateless_call("whoami"));
    EXPECT_THAT(nobody.read_response(), StartsWith("HTTP/1.1 401 "));
    RawClient ada(server.port());
    auto request = stateless_call("whoami");
    request.insert(request.find("Content-Length"), "Authorization: Bearer secret\r\n");
    ada.send(request);
    EXPECT_THAT(ada.read_until("ada"), HasSubstr("you are ada"));
}

TEST(Listen, completes_pending_calls_when_it_stops) {
    Listening server;
    RawClient client(server.port());
    auto request = stateless_call("slow");
    client.send(request);
    client.readable(10);
    server.end();
    EXPECT_FALSE(server.failed);
    EXPECT_THAT(client.read_to_end(), AllOf(StartsWith("HTTP/1.1 "), HasSubstr("jsonrpc")));
}

TEST(HttpMount, serves_sockets_that_user_code_accepted) {
    using boost::asio::ip::tcp;
    boost::asio::io_context context(1);
    Server server{"test", "1"};
    add_tools(server);
    tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
    auto const port = acceptor.local_endpoint().port();
    auto mount = std::make_unique<HttpMount>(server, context.get_executor(),
                                             HttpServerOptions().allow_host("localhost"));
    auto const accept_two = [&]() -> Task<> {
        for (int i = 0; i < 2; ++i) {
            auto socket = co_await acceptor.async_accept(boost::asio::use_awaitable);
            std::string start(10, '\0');
            co_await socket.async_read_some(boost::asio::buffer(start), boost::asio::use_awaitable);
            mount->take(socket.release(), start);
        }
    };
    boost::asio::co_spawn(context, accept_two(), boost::asio::detached);
    bool stopped = false;
    std::thread thread([&] { context.run(); });
    {
        RawClient first(port);
        first.send(stateless_call());
        EXPECT_THAT(first.read_until("hello"), StartsWith("HTTP/1.1 200 "));
    }
    RawClient second(port);
    second.send(stateless_call());
    EXPECT_THAT(second.read_until("hello"), StartsWith("HTTP/1.1 200 "));
    boost::asio::co_spawn(context, mount->stop(), [&](std::exception_ptr failure) {
        stopped = !failure;
        mount.reset();
    });
    EXPECT_TRUE(second.ends());
    thread.join();
    EXPECT_TRUE(stopped);
}

TEST(HttpMount, needs_a_list_of_hosts) {
    boost::asio::io_context context(1);
    Server server{"test", "1"};
    EXPECT_THROW(HttpMount(server, context.get_executor(), {}), Error);
}

}  // namespace
}  // namespace lanyard::test

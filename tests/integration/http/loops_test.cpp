// A server with several loops: sessions, connections that move, forwarded requests, limits, the
// end.
#include <atomic>
#include <future>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>

#include "integration/http/listening.hpp"
#include "integration/http/tls_client.hpp"
#include "support/certificates.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t loops = 4;

HttpServerOptions several() {
    return HttpServerOptions().threads(loops);
}

std::string call(std::string_view tool, std::string_view session, std::string_view text = "x") {
    return post_request(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
                            std::string(tool) + R"(","arguments":{"text":")" + std::string(text) +
                            R"("}}})",
                        session);
}

std::string chunked(std::string_view body, std::string_view session) {
    auto text = post_request("", session);
    auto const at = text.find("Content-Length: 0");
    text.replace(at, 17, "Transfer-Encoding: chunked");
    std::ostringstream size;
    size << std::hex << body.size();
    return text + size.str() + "\r\n" + std::string(body) + "\r\n0\r\n\r\n";
}

// Tools that show the thread of the loop.
void add_where(Server& server) {
    server.tool(
        "where", "The thread",
        [](Echo) {
            std::ostringstream text;
            text << "thread " << std::this_thread::get_id();
            return text.str();
        },
        ToolOptions().inline_());
}

std::string thread_in(std::string const& response) {
    auto const at = response.find("thread ");
    EXPECT_NE(at, response.npos) << response;
    return at == response.npos ? "" : response.substr(at, response.find('"', at) - at);
}

class Loops : public ::testing::Test {
protected:
    explicit Loops(HttpServerOptions options = several()) : server_(std::move(options)) {
        add_where(server_.server());
    }

    /// Opens a session on a connection of its own, and returns the header fields of its requests.
    std::string open_session() {
        RawClient client(server_.port());
        client.send(initialize);
        auto const head = client.read_until("\r\n\r\n");
        EXPECT_THAT(head, StartsWith("HTTP/1.1 200 "));
        return session_fields(head);
    }
    std::string thread_of(std::string const& session) {
        RawClient client(server_.port());
        client.send(call("where", session));
        return thread_in(client.read_until("}]"));
    }
    /// Opens sessions until two of them are on different loops.
    std::pair<std::string, std::string> open_apart() {
        auto const first = open_session();
        auto const thread = thread_of(first);
        for (int i = 0; i < 1'000; ++i) {
            auto const second = open_session();
            if (thread_of(second) != thread) return {first, second};
        }
        ADD_FAILURE() << "all sessions are on one loop";
        return {};
    }

    Listening server_;
};

TEST_F(Loops, every_connection_reaches_every_session) {
    std::map<std::string, std::string> threads;
    for (int i = 0; i < 12; ++i) {
        auto const session = open_session();
        threads[session] = thread_of(session);
    }
    std::set<std::string> different;
    for (auto const& [session, thread] : threads) {
        different.insert(thread);
        for (int i = 0; i < 6; ++i) {
            RawClient client(server_.port());
            for (int j = 0; j < 3; ++j) {
                client.send(call("where", session));
                EXPECT_EQ(thread_in(client.read_until("}]")), thread);
            }
        }
    }
    EXPECT_GT(different.size(), 1U);
    EXPECT_EQ(server_.server().sessions().size(), 12U);
}

// The first four requests move the connection, and the following ones are forwarded.
TEST_F(Loops, one_connection_carries_requests_for_sessions_of_all_loops) {
    auto const [first, second] = open_apart();
    auto const thread = thread_of(first);
    auto const other = thread_of(second);
    RawClient client(server_.port());
    for (int i = 0; i < 20; ++i) {
        client.send(call("where", first));
        EXPECT_EQ(thread_in(client.read_until("}]")), thread) << i;
        client.send(call("where", second));
        EXPECT_EQ(thread_in(client.read_until("}]")), other) << i;
    }
}

TEST_F(Loops, requests_that_arrive_together_are_answered_in_order) {
    auto const [first, second] = open_apart();
    RawClient client(server_.port());
    std::string all;
    for (int i = 0; i < 10; ++i) {
        all += call("echo", i % 2 == 0 ? first : second, "text " + std::to_string(i));
    }
    client.send(all);
    for (int i = 0; i < 10; ++i) {
        client.read_until("text ");
        EXPECT_EQ(client.read_exactly(1), std::to_string(i));
    }
}

TEST_F(Loops, a_body_in_chunks_moves_with_its_request) {
    auto const [first, second] = open_apart();
    RawClient client(server_.port());
    auto const body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
                      R"({"name":"echo","arguments":{"text":"in chunks"}}})";
    for (auto const& session : {first, second, first, second, first, second, first, second}) {
        client.send(chunked(body, session));
        EXPECT_THAT(client.read_until("in chunks"), HasSubstr("HTTP/1.1 200 "));
        client.read_until("}}");
    }
}

// The response is larger than the window between the loops and the limit of unsent bytes.
TEST_F(Loops, a_large_response_is_forwarded) {
    server_.server().tool("large", "", [](Echo in) { return std::string(6'000'000, in.text[0]); });
    auto const [first, second] = open_apart();
    RawClient client(server_.port());
    for (int i = 0; i < 4; ++i) {
        for (auto const& session : {first, second}) {
            client.send(call("large", session, i % 2 == 0 ? "a" : "b"));
            auto const text = client.read_until("\"}]");
            EXPECT_GT(text.size(), 6'000'000U);
        }
    }
}

TEST_F(Loops, a_client_that_disconnects_cancels_no_call_of_its_session) {
    std::promise<void> begun;
    std::promise<bool> ended;
    server_.server().tool(
        "wait", "",
        [&](Echo, Context&) {
            begun.set_value();
            std::this_thread::sleep_for(20ms);
            ended.set_value(true);
            return std::string("done");
        },
        ToolOptions().blocking());
    auto const [first, second] = open_apart();
    {
        RawClient client(server_.port());
        for (int i = 0; i < 5; ++i) {
            client.send(call("where", i % 2 == 0 ? first : second));
            client.read_until("}]");
        }
        client.send(call("wait", second));
        begun.get_future().wait();
    }
    EXPECT_TRUE(ended.get_future().get());
    EXPECT_EQ(server_.server().sessions().size() >= 2, true);
}

TEST_F(Loops, a_change_reaches_the_sessions_of_all_loops_once) {
    std::vector<std::string> sessions;
    std::vector<std::unique_ptr<RawClient>> streams;
    for (int i = 0; i < 10; ++i) {
        sessions.push_back(open_session());
        RawClient client(server_.port());
        client.send(post_request(R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                                 sessions.back()));
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 202 "));
        streams.push_back(std::make_unique<RawClient>(server_.port()));
        streams.back()->send(get_request(sessions.back()));
        EXPECT_THAT(streams.back()->read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
        // The stream is open when a later request of the session has been answered.
        client.send(call("where", sessions.back()));
        client.read_until("}]");
    }
    server_.server().remove_tool("slow");
    for (auto const& stream : streams) {
        EXPECT_THAT(stream->read_until("list_changed"), HasSubstr("list_changed"));
    }
    server_.end();
    for (auto const& stream : streams) {
        EXPECT_THAT(stream->read_to_end(), ::testing::Not(HasSubstr("list_changed")));
    }
}

TEST_F(Loops, a_session_ends_for_all_connections) {
    auto const session = open_session();
    RawClient client(server_.port());
    client.send("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + session + "\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 204 "));
    for (int i = 0; i < 8; ++i) {
        RawClient other(server_.port());
        other.send(call("where", session));
        EXPECT_THAT(other.read_response(), StartsWith("HTTP/1.1 404 "));
    }
}

TEST_F(Loops, ids_of_another_process_are_unknown_and_not_refused) {
    RawClient client(server_.port());
    for (auto const* const id : {"AAAAAAAAAAAAAAAAAAAAAAAA", "1", "ZZZZZZZZZZZZZZZZZZZZZZzz",
                                 "0123456789012345678901-_", "x-y"}) {
        client.send(call("where", "Mcp-Session-Id: " + std::string(id) + "\r\n"));
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 404 ")) << id;
    }
}

class FewSessions : public Loops {
protected:
    FewSessions() : Loops(several().mcp(McpHttpOptions().max_sessions(3))) {}
};

TEST_F(FewSessions, the_limit_holds_for_all_loops_together) {
    for (int i = 0; i < 3; ++i) open_session();
    for (int i = 0; i < 6; ++i) {
        RawClient client(server_.port());
        client.send(initialize);
        EXPECT_THAT(client.read_response(),
                    AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("too many sessions")));
    }
}

class FewConnections : public Loops {
protected:
    FewConnections() : Loops(several().max_connections(6)) {}
};

TEST_F(FewConnections, the_limit_holds_for_all_loops_together) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 6; ++i) {
        clients.push_back(std::make_unique<RawClient>(server_.port()));
        clients.back()->send(stateless_call());
        EXPECT_THAT(clients.back()->read_until("hello"), StartsWith("HTTP/1.1 200 "));
    }
    RawClient seventh(server_.port());
    EXPECT_THAT(seventh.read_to_end(), StartsWith("HTTP/1.1 503 "));
}

class KnownCallers : public Loops {
protected:
    KnownCallers()
        : Loops(several().verifier(bearer_tokens(
              {BearerToken("ada").subject("ada"), BearerToken("bob").subject("bob")}))) {}
};

TEST_F(KnownCallers, a_session_belongs_to_its_caller_on_every_loop) {
    std::string const ada = "Authorization: Bearer ada\r\n";
    std::string const bob = "Authorization: Bearer bob\r\n";
    for (int i = 0; i < 6; ++i) {
        RawClient opening(server_.port());
        auto request = initialize;
        request.insert(request.find("Content-Length"), ada);
        opening.send(request);
        auto const session = session_fields(opening.read_until("\r\n\r\n"));
        RawClient client(server_.port());
        client.send(call("whoami", session + bob));
        EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 404 "));
        client.send(call("whoami", session + ada));
        EXPECT_THAT(client.read_until("ada"), HasSubstr("you are ada"));
    }
}

TEST_F(Loops, pending_calls_of_all_loops_are_answered_at_the_end) {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 12; ++i) {
        clients.push_back(std::make_unique<RawClient>(server_.port()));
        clients.back()->send(stateless_call("slow"));
    }
    for (auto const& client : clients) client->readable(1);
    server_.end();
    EXPECT_FALSE(server_.failed);
    for (auto const& client : clients) {
        EXPECT_THAT(client->read_to_end(), AllOf(StartsWith("HTTP/1.1 "), HasSubstr("jsonrpc")));
    }
}

// A connection moves with its TLS state.
TEST(LoopsWithTls, connections_move) {
    Certificates files;
    auto const identity = files.issue("server", "first", "DNS:localhost");
    Listening server(several().tls(TlsOptions{identity.certificate, identity.key}),
                     "https://localhost:0/mcp");
    add_where(server.server());
    auto const trusting = sockets::TlsContext::client({files.authority(), {}, {}, false}).value();
    std::vector<std::string> sessions;
    std::vector<std::string> threads;
    for (int i = 0; i < 8; ++i) {
        TlsClient client(server.port(), trusting);
        client.send(initialize);
        sessions.push_back(session_fields(client.read_until("\r\n\r\n")));
        client.read_until("}}");
        client.send(call("where", sessions.back()));
        threads.push_back(thread_in(client.read_until("}]")));
    }
    TlsClient client(server.port(), trusting);
    for (std::size_t i = 0; i < 24; ++i) {
        client.send(call("where", sessions[i % 8]));
        EXPECT_EQ(thread_in(client.read_until("}]")), threads[i % 8]) << i;
    }
}

TEST(HttpThreads, are_checked) {
    EXPECT_THROW(listen("http://127.0.0.1:0/mcp", HttpServerOptions().threads(0))->port(), Error);
    EXPECT_THROW(listen("http://127.0.0.1:0/mcp", HttpServerOptions().threads(5'000))->port(),
                 Error);
    boost::asio::io_context context(1);
    Server server{"test", "1"};
    EXPECT_THROW(HttpMount(server, context.get_executor(),
                           HttpServerOptions().allow_host("localhost").threads(2)),
                 Error);
}

TEST(HttpThreads, a_port_in_use_is_reported) {
    auto const first = listen("http://127.0.0.1:0/mcp");
    EXPECT_THROW(listen(first->url(), several())->port(), Error);
    auto const second = listen("http://127.0.0.1:0/mcp", several());
    EXPECT_THROW(listen(second->url())->port(), Error);
    EXPECT_THROW(listen(second->url(), several())->port(), Error);
}

}  // namespace
}  // namespace lanyard::test

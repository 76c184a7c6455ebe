// A whole server with WebSockets.
#include "lanyard/server.hpp"

#include <semaphore>
#include <thread>

#include <gmock/gmock.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "integration/http/tls_client.hpp"
#include "integration/websocket/raw_websocket.hpp"
#include "lanyard/http/listen.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "support/certificates.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Echo {
    std::string text;
};
LANYARD_STRUCT(Echo, text)

std::string call(std::string const& tool, std::string const& text = "hello", int id = 1) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":{"text":")" +
           text + R"("},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
           R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},)" +
           R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
}

std::string const initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";

// Serves on a separate thread.
class Serving {
public:
    explicit Serving(HttpServerOptions options = {},
                     McpHttpOptions mcp = McpHttpOptions().websocket(), bool secure = false)
        : listener_(listen(secure ? "https://localhost:0/mcp" : "http://127.0.0.1:0/mcp",
                           options.mcp(std::move(mcp)))) {
        server_.tool("echo", "Says it back", [](Echo in) { return in.text; });
        server_.tool("whoami", "Who calls", [](Echo, Context& context) {
            std::string text =
                std::string(context.transport()) + " " + std::string(context.identity());
            for (auto const& header : context.headers()) text += " " + header.name;
            return text;
        });
        server_.tool(
            "wait", "Takes until it is told",
            [this](Echo) {
                begun.release();
                finish.acquire();
                return std::string("waited");
            },
            ToolOptions().blocking());
        server_.tool("flood", "A long text",
                     [](Echo) { return std::string(std::size_t{1} << 16, 'x'); });
        boost::asio::co_spawn(context_, server_.run_async(*listener_),
                              [this](std::exception_ptr failure) { failed = failure != nullptr; });
        thread_ = std::thread([this] { context_.run(); });
    }
    ~Serving() { end(); }

    void stop(Duration grace = 5s) { server_.stop(grace); }
    void end() {
        stop();
        if (thread_.joinable()) thread_.join();
    }
    /// Waits until everything that is posted now has run.
    void settle() {
        std::binary_semaphore done(0);
        boost::asio::post(context_, [&] { done.release(); });
        done.acquire();
    }
    std::uint16_t port() const { return listener_->port(); }
    Server& server() { return server_; }

    std::atomic<bool> failed = false;
    std::counting_semaphore<> begun{0};
    std::counting_semaphore<> finish{0};

private:
    Server server_{"test", "1"};
    std::unique_ptr<UrlListener> listener_;
    boost::asio::io_context context_{1};
    std::thread thread_;
};

TEST(WebSocketServer, serves_stateless_requests) {
    Serving server;
    RawWebSocket client(server.port(), "Sec-WebSocket-Protocol: other, mcp\r\n");
    ASSERT_TRUE(client.opened()) << client.head;
    EXPECT_THAT(client.head, HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    EXPECT_THAT(client.head, HasSubstr("Sec-WebSocket-Protocol: mcp\r\n"));
    for (int i = 0; i < 20; ++i) {
        client.send_text(call("echo", "hello", i));
        EXPECT_THAT(client.read_text(),
                    AllOf(HasSubstr("hello"), HasSubstr("\"id\":" + std::to_string(i))));
    }
    client.send(close_frame(1000));
    EXPECT_EQ(client.read_close(), 1000U);
}

TEST(WebSocketServer, serves_sessions) {
    Serving server;
    RawWebSocket client(server.port());
    EXPECT_THAT(client.head, Not(HasSubstr("Sec-WebSocket-Protocol")));
    client.send_text(initialize);
    EXPECT_THAT(client.read_text(), HasSubstr("2025-11-25"));
    client.send_text(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    client.send_text(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
                     R"({"name":"whoami","arguments":{"text":""}}})");
    EXPECT_THAT(client.read_text(), AllOf(HasSubstr("websocket "), HasSubstr("Sec-WebSocket-Key")));
    ASSERT_EQ(server.server().sessions().size(), 1U);
    client.client.close();
    server.end();
    EXPECT_FALSE(server.failed);
    EXPECT_EQ(server.server().sessions().size(), 0U);
}

TEST(WebSocketServer, the_memory_of_all_messages_together_is_limited) {
    for (std::size_t const most : {100'000U, 10'000'000U}) {
        Serving server({}, McpHttpOptions().websocket().max_websocket_bytes_total(most));
        RawWebSocket socket(server.port());
        socket.send_text(call("echo", std::string(1'000'000, 'x')));
        if (most == 100'000U) {
            EXPECT_EQ(socket.read_close(), 1013U);
        } else {
            EXPECT_GT(socket.read_text().size(), 1'000'000U);
        }
    }
}

TEST(WebSocketServer, reads_messages_that_follow_the_upgrade_at_once) {
    Serving server;
    RawClient client(server.port());
    client.send(upgrade_request() + text_frame(call("echo")));
    EXPECT_THAT(client.read_until("hello"), StartsWith("HTTP/1.1 101 "));
}

TEST(WebSocketServer, can_be_opened_on_a_connection_that_has_carried_requests) {
    Serving server;
    RawClient client(server.port());
    client.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 404 "));
    client.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" + upgrade_request());
    EXPECT_THAT(client.read_response(), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
}

TEST(WebSocketServer, is_served_only_if_enabled) {
    Serving without({}, McpHttpOptions());
    EXPECT_THAT(RawWebSocket(without.port()).head, StartsWith("HTTP/1.1 404 "));
    Serving elsewhere({}, McpHttpOptions().websocket({}, "/socket"));
    RawClient client(elsewhere.port());
    client.send(upgrade_request({}, "localhost", "/socket"));
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
}

// S-04: the same gate as for HTTP, before the status 101.
TEST(WebSocketServer, S04_refuses_foreign_origins_and_hosts_before_it_opens) {
    Serving server(HttpServerOptions().allow_origin("https://app.example"));
    struct Case {
        std::string host;
        std::string origin;
        std::string status;
    };
    std::vector<Case> const cases{
        {"localhost", "", "101"},
        {"127.0.0.1:1", "", "101"},
        {"[::1]", "", "101"},
        {"LOCALHOST", "", "101"},
        {"localhost:3000", "http://localhost:3000", "101"},
        {"127.0.0.1", "http://127.0.0.1", "101"},
        // Other web pages of this machine could not read HTTP responses either.
        {"localhost", "http://localhost:3000", "403"},
        {"localhost", "http://127.0.0.1", "403"},
        {"localhost", "https://app.example", "101"},
        {"localhost", "https://evil.example", "403"},
        {"localhost", "https://app.example.evil", "403"},
        {"localhost", "http://localhost.evil.example", "403"},
        {"localhost", "null", "403"},
        {"localhost", "file://", "403"},
        {"evil.example", "", "403"},
        {"evil.example", "http://evil.example", "403"},
        {"localhost.evil.example", "", "403"},
        {"127.0.0.1.evil.example", "", "403"},
        {"[::ffff:127.0.0.1]", "", "403"},
        {"", "", "400"},
        {"a b", "", "400"},
    };
    for (auto const& [host, origin, status] : cases) {
        RawClient client(server.port());
        client.send(upgrade_request(origin.empty() ? "" : "Origin: " + origin + "\r\n", host));
        EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 " + status + " "))
            << host << " " << origin;
    }
    RawClient twice(server.port());
    twice.send(upgrade_request("Origin: http://localhost\r\nOrigin: http://localhost\r\n"));
    EXPECT_THAT(twice.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(WebSocketServer, refuses_invalid_handshakes) {
    Serving server;
    struct Case {
        std::string fields;
        std::string status;
    };
    std::string const connection = "Connection: Upgrade\r\n";
    std::string const upgrade = "Upgrade: websocket\r\n";
    std::string const version = "Sec-WebSocket-Version: 13\r\n";
    std::string const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    std::vector<Case> const cases{
        {connection + upgrade + version + key, "101"},
        {upgrade + version + key, "426"},
        {connection + version + key, "426"},
        {connection + "Upgrade: h2c\r\n" + version + key, "426"},
        {connection + upgrade + key, "426"},
        {connection + upgrade + "Sec-WebSocket-Version: 8\r\n" + key, "426"},
        {connection + upgrade + version + version + key, "426"},
        {connection + upgrade + version, "400"},
        {connection + upgrade + version + key + key, "400"},
        {connection + upgrade + version + "Sec-WebSocket-Key: short\r\n", "400"},
        {connection + upgrade + version + "Sec-WebSocket-Key: !!!!IHNhbXBsZSBub25jZQ==\r\n", "400"},
        {connection + upgrade + version + key + "Sec-WebSocket-Protocol: other\r\n", "400"},
        {connection + upgrade + version + key + "Sec-WebSocket-Protocol: MCP\r\n", "400"},
        {connection + upgrade + version + key + "Sec-WebSocket-Protocol: mcp\r\n", "101"},
        {connection + upgrade + version + key + "Content-Length: 1\r\n", "400"},
    };
    for (auto const& [fields, status] : cases) {
        RawClient client(server.port());
        client.send("GET /mcp/ws HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n");
        EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 " + status + " "))
            << fields;
    }
    RawClient post(server.port());
    post.send("POST /mcp/ws HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    EXPECT_THAT(post.read_response(),
                AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET\r\n")));
}

TEST(WebSocketServer, names_its_version_in_the_refusal) {
    Serving server;
    RawClient client(server.port());
    client.send(
        "GET /mcp/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 99\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    EXPECT_THAT(client.read_response(), HasSubstr("Sec-WebSocket-Version: 13\r\n"));
}

TEST(WebSocketServer, passes_the_principal_to_handlers) {
    Serving server(
        HttpServerOptions().verifier(bearer_tokens({BearerToken("secret").subject("ada")})));
    EXPECT_THAT(RawWebSocket(server.port()).head,
                AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Bearer")));
    RawWebSocket ada(server.port(), "Authorization: Bearer secret\r\nX-Team: blue\r\n");
    ASSERT_TRUE(ada.opened());
    ada.send_text(call("whoami"));
    EXPECT_THAT(ada.read_text(), AllOf(HasSubstr("websocket ada "), HasSubstr("X-Team"),
                                       Not(HasSubstr("Authorization"))));
}

// Decides after several turns of the event loop, when the bytes after the request have arrived.
class SlowVerifier final : public Verifier {
public:
    Task<Verification> verify(Credentials const&) override {
        for (int i = 0; i < 50; ++i) {
            co_await boost::asio::post(co_await boost::asio::this_coro::executor,
                                       boost::asio::use_awaitable);
        }
        co_return Verification::accept(std::make_shared<Principal>(Principal{.subject = "bob"}));
    }
};

TEST(WebSocketServer, waits_for_a_slow_verifier) {
    Serving server(HttpServerOptions().verifier(std::make_shared<SlowVerifier>()));
    for (int i = 0; i < 20; ++i) {
        RawClient client(server.port());
        client.send(upgrade_request() + text_frame(call("whoami")));
        client.send(text_frame(call("echo", "second", 2)));
        // Workers may answer in either order.
        auto got = client.read_until("second");
        if (got.find("websocket bob") == got.npos) got += client.read_until("websocket bob");
        EXPECT_THAT(got, HasSubstr("websocket bob"));
    }
}

TEST(WebSocketServer, limits_the_number_of_websockets) {
    Serving server({}, McpHttpOptions().websocket().max_websockets(2));
    RawWebSocket first(server.port());
    RawWebSocket second(server.port());
    EXPECT_TRUE(first.opened() && second.opened());
    RawWebSocket third(server.port());
    EXPECT_THAT(third.head, AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: ")));
    first.send(close_frame(1000));
    EXPECT_EQ(first.read_close(), 1000U);
    EXPECT_TRUE(RawWebSocket(server.port()).opened());
}

TEST(WebSocketServer, closes_with_the_code_of_the_violation) {
    Serving server;
    struct Case {
        std::string bytes;
        unsigned code;
    };
    for (auto const& [bytes, code] :
         {Case{frame({.opcode = opcode::binary, .payload = "x"}), 1003},
          Case{text_frame("\xFF"), 1007}, Case{text_frame("{}", false), 1002},
          Case{frame({.opcode = 3}), 1002},
          Case{std::string("\x81\xFF\x00\x00\x00\x00\x01\x00\x00\x01", 10) + "abcd", 1009}}) {
        RawWebSocket client(server.port());
        client.send(bytes);
        if (code == 1003) {
            ASSERT_EQ(client.read()->close_code(), 1003U);
            client.send(close_frame(1003));
        }
        EXPECT_EQ(client.read_close(), code == 1003 ? 0 : code);
    }
}

TEST(WebSocketServer, invalid_json_is_answered_and_the_connection_continues) {
    Serving server;
    RawWebSocket client(server.port());
    client.send_text("{");
    EXPECT_THAT(client.read_text(), HasSubstr("-32700"));
    client.send_text(call("echo"));
    EXPECT_THAT(client.read_text(), HasSubstr("hello"));
}

TEST(WebSocketServer, completes_calls_and_sends_going_away_when_it_stops) {
    Serving server;
    RawWebSocket idle(server.port());
    RawWebSocket busy(server.port());
    busy.send_text(call("wait"));
    server.begun.acquire();
    server.stop();
    EXPECT_EQ(idle.read_close(), 1001U);
    server.finish.release();
    EXPECT_THAT(busy.read_text(), HasSubstr("waited"));
    EXPECT_EQ(busy.read_close(), 1001U);
    EXPECT_FALSE(busy.client.was_reset());
    server.end();
    EXPECT_FALSE(server.failed);
}

TEST(WebSocketServer, closes_clients_that_do_not_answer_pings) {
    testing::FakeTime time;
    Serving server(HttpServerOptions().time(time));
    RawWebSocket deaf(server.port());
    ASSERT_TRUE(deaf.opened());
    server.settle();
    for (int i = 0; i < 30; ++i) {
        time.advance(1s);
        server.settle();
    }
    auto const ping = deaf.read();
    ASSERT_TRUE(ping);
    EXPECT_EQ(ping->opcode, opcode::ping);
    for (int i = 0; i < 10; ++i) {
        time.advance(1s);
        server.settle();
    }
    auto const last = deaf.read();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->close_code(), 1011U);
    // The client does not answer the close frame either.
    for (int i = 0; i < 3; ++i) {
        time.advance(1s);
        server.settle();
    }
    EXPECT_TRUE(deaf.client.ends());
}

TEST(WebSocketServer, supports_tls_and_client_certificates) {
    Certificates files;
    auto const identity = files.issue("server", "server", "DNS:localhost");
    auto const ada = files.issue("client", "ada", "");
    Serving server(HttpServerOptions()
                       .tls(TlsOptions(identity.certificate, identity.key)
                                .client_authorities(files.authority()))
                       .verifier(client_certificates()),
                   McpHttpOptions().websocket(), true);
    TlsClient client(
        server.port(),
        sockets::TlsContext::client({files.authority(), ada.certificate, ada.key, false}).value());
    ASSERT_TRUE(client.open());
    client.send(upgrade_request() + text_frame(call("whoami")));
    EXPECT_THAT(client.read_until("Sec-WebSocket-Key"), HasSubstr("websocket CN=ada"));
    client.send(text_frame(call("flood", "x", 2)));
    EXPECT_THAT(client.read_until("xxxxxx\"").size(), ::testing::Gt(std::size_t{1} << 16));
    client.send(close_frame(1000));
    client.read_to_end();
    EXPECT_EQ(client.engine().state(), sockets::TlsEngine::State::ended);
}

TEST(WebSocketServer, stops_reading_from_a_client_that_does_not_read) {
    Serving server;
    RawWebSocket client(server.port(), {}, 4096);
    // Long answers are queued until the server stops reading; it still serves other clients.
    for (int i = 0; i < 64; ++i) {
        std::string many;
        for (int id = 1; many.size() < (std::size_t{1} << 20); ++id) {
            many += text_frame(call("flood", "x", i * 10'000 + id));
        }
        auto const sent = ::send(client.client.descriptor(), many.data(), many.size(),
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < static_cast<ssize_t>(many.size())) break;
        ASSERT_LT(i, 63);
    }
    RawWebSocket other(server.port());
    other.send_text(call("echo"));
    EXPECT_THAT(other.read_text(), HasSubstr("hello"));
}

}  // namespace
}  // namespace lanyard::test

// Our client over WebSockets, with our server and with scripted servers.
#include <future>
#include <thread>

#include <boost/asio/co_spawn.hpp>

#include "http_client/client_harness.hpp"
#include "http_client/forwarding_proxy.hpp"
#include "integration/websocket/raw_websocket.hpp"
#include "lanyard/connect.hpp"
#include "lanyard/http/listen.hpp"
#include "lanyard/server.hpp"
#include "support/certificates.hpp"

namespace lanyard::http_client_test {
namespace {

using test::Certificates;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Count {
    int to = 0;
};
LANYARD_STRUCT(Count, to)

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, name)

// A server on a separate thread.
class Serving {
public:
    explicit Serving(HttpServerOptions options = {}, WebSocketOptions const& socket = {},
                     bool secure = false)
        : listener_(listen(secure ? "https://localhost:0/mcp" : "http://127.0.0.1:0/mcp",
                           options.mcp(McpHttpOptions().websocket(socket)))),
          secure_(secure) {
        server_.tool("greet", "Asks who it is", [](Context& context) -> Task<std::string> {
            auto const answer = co_await context.elicit<Name>("who", "Who are you?");
            co_return "Hello, " + (answer ? answer->name : std::string("nobody"));
        });
        server_.tool("count", "Counts", [](Count in, Context& context) -> Task<std::string> {
            for (int i = 1; i <= in.to; ++i) {
                context.report_progress(i, in.to, "counted");
                co_await context.yield();
            }
            co_return "counted to " + std::to_string(in.to);
        });
        server_.tool("whoami", "Who calls", [](Context& context) {
            return std::string(context.transport()) + " " + std::string(context.identity());
        });
        server_.tool("long", "A long text",
                     [](Count in) { return std::string(static_cast<std::size_t>(in.to), 'x'); });
        boost::asio::co_spawn(context_, server_.run_async(*listener_), [](std::exception_ptr) {});
        thread_ = std::thread([this] { context_.run(); });
    }
    ~Serving() { end(); }

    void end() {
        server_.stop(5s);
        if (thread_.joinable()) thread_.join();
    }
    std::string url() const {
        return (secure_ ? "wss://localhost:" : "ws://127.0.0.1:") + std::to_string(port());
    }
    std::uint16_t port() const { return listener_->port(); }

private:
    Server server_{"own", "1"};
    std::unique_ptr<UrlListener> listener_;
    boost::asio::io_context context_{1};
    std::thread thread_;
    bool secure_;
};

ClientOptions answering(Version version) {
    ClientOptions options;
    options.versions({version});
    options.on_elicitation([](ElicitFormParams const&) {
        ElicitResult result;
        result.action = ElicitAction::accept;
        result.content = JsonObject{{"name", "Ada"}};
        return result;
    });
    return options;
}

class WebSocketClient : public HttpClientTest {};

TEST_F(WebSocketClient, supports_both_eras) {
    Serving server;
    for (auto const version :
         {Version::v2025_03_26, Version::v2025_06_18, Version::v2025_11_25, Version::v2026_07_28}) {
        connect(server.url(), answering(version));
        EXPECT_EQ(client.version(), version);
        EXPECT_EQ(await(client.list_tools()).size(), 4U);
        EXPECT_EQ(call("greet"), version == Version::v2025_03_26 ? call("greet") : "Hello, Ada");
        Count const three{3};
        EXPECT_EQ(await(client.call<std::string>("count", three)), "counted to 3");
        EXPECT_EQ(call("whoami"), "websocket ");
        stop();
    }
}

TEST_F(WebSocketClient, is_created_by_connect_for_its_urls) {
    Serving server;
    auto blocking = blocking::connect(server.url() + "/mcp/ws");
    EXPECT_EQ(blocking.call<std::string>("whoami"), "websocket ");
}

TEST_F(WebSocketClient, carries_long_and_many_messages) {
    for (bool const deflate : {false, true}) {
        auto const socket = WebSocketOptions().deflate(deflate);
        Serving server({}, socket);
        connect(server.url(), {}, HttpClientOptions().websocket(socket));
        for (int const size : {0, 125, 126, 65535, 65536, 3'000'000}) {
            Count const in{size};
            EXPECT_EQ(await(client.call<std::string>("long", in)).size(),
                      static_cast<std::size_t>(size));
        }
        std::vector<Task<std::string>> calls;
        int ended = 0;
        for (int i = 0; i < 200; ++i) {
            boost::asio::co_spawn(context, client.call<std::string>("whoami"),
                                  [&](std::exception_ptr failure, std::string const&) {
                                      EXPECT_FALSE(failure);
                                      ++ended;
                                  });
        }
        EXPECT_TRUE(run_until([&] { return ended == 200; }));
        stop();
    }
}

TEST_F(WebSocketClient, sends_tokens_and_headers) {
    Serving server(
        HttpServerOptions().verifier(bearer_tokens({BearerToken("secret").subject("ada")})));
    connect(server.url(), {}, HttpClientOptions().bearer_token("secret"));
    EXPECT_EQ(call("whoami"), "websocket ada");
    stop();
    auto const refused = attempt(lanyard::connect(server.url()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unauthorized);
    EXPECT_THAT(refused.error().what(), HasSubstr("401"));
}

TEST_F(WebSocketClient, supports_tls) {
    Certificates files;
    auto const identity = files.issue("server", "server", "DNS:localhost");
    auto const ada = files.issue("client", "ada", "");
    Serving server(HttpServerOptions()
                       .tls(TlsOptions(identity.certificate, identity.key)
                                .client_authorities(files.authority()))
                       .verifier(client_certificates()),
                   {}, true);
    auto const trusting = HttpClientOptions().ca_file(files.authority());
    connect(server.url(), {},
            HttpClientOptions(trusting).client_certificate(ada.certificate, ada.key));
    EXPECT_EQ(call("whoami"), "websocket CN=ada");
    Count const in{1'000'000};
    EXPECT_EQ(await(client.call<std::string>("long", in)).size(), 1'000'000U);
    stop();
    // The client does not trust the server's certificate, or has none itself.
    auto const untrusted = attempt(lanyard::connect(server.url(), {}, HttpClientOptions()));
    ASSERT_FALSE(untrusted);
    EXPECT_EQ(untrusted.error().code(), Errc::unavailable);
    EXPECT_THAT(untrusted.error().what(), HasSubstr("no secure connection"));
    EXPECT_FALSE(attempt(lanyard::connect(server.url(), {}, trusting)));
}

TEST_F(WebSocketClient, goes_through_a_proxy) {
    Serving server;
    ForwardingProxy proxy(server.port());
    auto const url = "ws://server.example:" + std::to_string(server.port());
    // The proxy connects to the server under this name, which the server does not accept.
    auto const refused =
        attempt(lanyard::connect(url, {}, HttpClientOptions().proxy(proxy.url("ada:pw@"))));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::unauthorized);
    ASSERT_EQ(proxy.heads().size(), 1U);
    EXPECT_THAT(proxy.heads()[0],
                AllOf(HasSubstr("CONNECT server.example:"), HasSubstr("Proxy-Authorization: ")));
    connect(server.url(), {}, HttpClientOptions().proxy(proxy.url()));
    EXPECT_EQ(call("whoami"), "websocket ");
    stop();
    proxy.refuse();
    auto const closed =
        attempt(lanyard::connect(server.url(), {}, HttpClientOptions().proxy(proxy.url())));
    ASSERT_FALSE(closed);
    EXPECT_THAT(closed.error().what(), HasSubstr("proxy"));
}

TEST_F(WebSocketClient, errors_name_the_option) {
    for (auto const& [url, options] :
         {std::pair{"ws://", HttpClientOptions()},
          {"ws://a b/", HttpClientOptions()},
          {"ws://user@a.example/", HttpClientOptions()},
          {"ws://127.0.0.1:1/", HttpClientOptions().header("Host", "x")},
          {"ws://127.0.0.1:1/", HttpClientOptions().header("Sec-WebSocket-Key", "x")},
          {"ws://127.0.0.1:1/", HttpClientOptions().bearer_token("a\nb")},
          {"ws://127.0.0.1:1/", HttpClientOptions().proxy("https://127.0.0.1:1")},
          {"wss://127.0.0.1:1/", HttpClientOptions().ca_file("/no/such/file")}}) {
        auto const outcome = attempt(lanyard::connect(std::string(url), {}, options));
        ASSERT_FALSE(outcome) << url;
        EXPECT_EQ(outcome.error().code(), Errc::invalid_argument) << outcome.error().what();
    }
}

TEST_F(WebSocketClient, reports_a_server_that_cannot_be_reached) {
    int port = 0;
    {
        Serving gone;
        port = gone.port();
    }
    auto const outcome =
        attempt(lanyard::connect("ws://127.0.0.1:" + std::to_string(port) + "/mcp/ws"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code(), Errc::unavailable);
}

TEST_F(WebSocketClient, reports_the_close_of_a_server_that_stops) {
    Serving server;
    auto const connector = http_connector(server.url());
    auto const transport = await(connector->open());
    EXPECT_EQ(transport->info().kind, "websocket");
    auto const ending = std::async(std::launch::async, [&] { server.end(); });
    EXPECT_FALSE(await(transport->read()));
    EXPECT_EQ(transport->end_reason(), "the peer closed the connection: 1001 (going away)");
    transport->close();
    await(transport->closed());
}

TEST_F(WebSocketClient,
       a_message_beyond_the_limit_ends_the_connection_and_the_client_connects_again) {
    Serving server;
    std::vector<ConnectionState> states;
    class Watch final : public ClientObserver {
    public:
        explicit Watch(std::vector<ConnectionState>& states) : states_(states) {}
        void on_state(ConnectionState, ConnectionState to, std::optional<Error> const&) override {
            states_.push_back(to);
        }

    private:
        std::vector<ConnectionState>& states_;
    };
    ClientOptions options;
    options.time(time).observer(std::make_shared<Watch>(states));
    auto const socket = WebSocketOptions().max_message_bytes(10'000);
    connect(server.url(), options, HttpClientOptions().websocket(socket));
    Count const in{20'000};
    auto const outcome = attempt(client.call<std::string>("long", in));
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().is(Errc::transport_down)) << outcome.error().what();
    EXPECT_TRUE(run_until([&] { return client.state() == ConnectionState::backoff; }));
    EXPECT_EQ(client.connect_count(), 1U);
    states.clear();
    time.advance(2s);
    EXPECT_TRUE(run_until([&] { return client.state() == ConnectionState::ready; }));
    EXPECT_EQ(client.connect_count(), 2U);
    EXPECT_EQ(states.back(), ConnectionState::ready);
    EXPECT_EQ(call("whoami"), "websocket ");
    stop();
}

TEST_F(WebSocketClient, a_connection_that_breaks_is_an_error) {
    Serving server;
    auto const connector = http_connector(server.url());
    auto const transport = await(connector->open());
    transport->close();
    EXPECT_FALSE(await(transport->read()));
    await(transport->closed());
    rpc::Outbox outbox;
    outbox.begin() += "{}";
    outbox.end();
    auto const late = attempt(transport->write(outbox));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), Errc::transport_down);
}

// A server that answers the handshake with a given text.
class OddServer {
public:
    explicit OddServer(std::string answer) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
        socklen_t size = sizeof address;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        ::listen(listener_, 1);
        thread_ = std::thread([this, answer = std::move(answer)] {
            int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (socket < 0) return;
            char buffer[4096];
            [[maybe_unused]] auto const got = ::recv(socket, buffer, sizeof buffer, 0);
            ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
            if (!answer.empty()) ::shutdown(socket, SHUT_WR);
            // Reads until the client closes the connection.
            while (::recv(socket, buffer, sizeof buffer, 0) > 0) continue;
            ::close(socket);
        });
    }
    ~OddServer() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    std::string url() const { return "ws://127.0.0.1:" + std::to_string(port_) + "/x"; }

private:
    int listener_;
    int port_;
    std::thread thread_;
};

TEST_F(WebSocketClient, refuses_an_answer_that_does_not_open_a_websocket) {
    for (auto const* const answer :
         {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 Not Found\r\n\r\n",
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
          "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
          "nonsense\r\n\r\n", "HTTP/1.1 101"}) {
        OddServer server(answer);
        auto const outcome = attempt(lanyard::connect(server.url()));
        ASSERT_FALSE(outcome) << answer;
        EXPECT_EQ(outcome.error().code(), Errc::unavailable) << outcome.error().what();
    }
}

TEST_F(WebSocketClient, waits_for_an_answer_as_long_as_the_limit) {
    OddServer server("");
    std::optional<Errc> failed;
    boost::asio::co_spawn(
        context,
        lanyard::attempt(lanyard::connect(server.url(), {}, HttpClientOptions().time(time))),
        [&](std::exception_ptr, Result<Client> result) {
            failed = result ? Errc{} : Errc(result.error().code().value());
        });
    // The first alarm is the timeout of the attempt.
    ASSERT_TRUE(run_until([&] { return time.next_alarm() != TimePoint::max(); }));
    EXPECT_EQ(time.next_alarm(), time.now() + 5s);
    time.advance(5s - 1ms);
    context.restart();
    context.poll();
    EXPECT_FALSE(failed);
    time.advance(1ms);
    ASSERT_TRUE(run_until([&] { return failed.has_value(); }));
    EXPECT_EQ(failed, Errc::unavailable);
}

}  // namespace
}  // namespace lanyard::http_client_test

#include <gmock/gmock.h>

#include "integration/http/test_server.hpp"
#include "integration/http/tls_client.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "support/certificates.hpp"

namespace lanyard::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string whoami() {
    return post_request("whoami", "Connection: close\r\n");
}

class TlsServer : public ::testing::Test {
protected:
    void start(HttpServerOptions options = {}) {
        options.tls(tls_);
        server_.emplace(std::move(options), "https://localhost:0/mcp");
    }
    sockets::TlsContext trusting(Certificates::Identity const& identity = {}) const {
        return sockets::TlsContext::client(
                   {files_.authority(), identity.certificate, identity.key, false})
            .value();
    }

    testing::FakeTime time_;
    Certificates files_;
    Certificates::Identity identity_ = files_.issue("server", "first", "DNS:localhost");
    TlsOptions tls_{identity_.certificate, identity_.key};
    std::optional<TestServer> server_;
};

TEST_F(TlsServer, answers_and_stays_open) {
    start();
    EXPECT_THAT(server_->listener().url(), StartsWith("https://localhost:"));
    TlsClient client(server_->port(), trusting());
    ASSERT_TRUE(client.open());
    EXPECT_EQ(client.engine().protocol(), "http/1.1");
    for (int i = 0; i < 3; ++i) {
        client.send(post_request("{}"));
        EXPECT_THAT(client.read_until("}"), EndsWith("{\"echo\":2}"));
    }
}

TEST_F(TlsServer, carries_large_bodies_both_ways) {
    start();
    TlsClient client(server_->port(), trusting());
    client.send(post_request(std::string(3'000'000, 'x')));
    EXPECT_THAT(client.read_until("}"), EndsWith("{\"echo\":3000000}"));
    client.send(post_request("huge", "Connection: close\r\n"));
    EXPECT_GT(client.read_to_end().size(), std::size_t{16} << 20);
    EXPECT_EQ(client.engine().state(), sockets::TlsEngine::State::ended);
}

TEST_F(TlsServer, notices_during_a_stream_that_the_client_has_disconnected) {
    start();
    {
        TlsClient client(server_->port(), trusting());
        client.send(get_request());
        EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
        server_->with_handler([](ScriptedHandler& handler) { handler.event("one"); });
        EXPECT_THAT(client.read_until("\n\n"), EndsWith("data: one\n\n"));
    }
    EXPECT_TRUE(server_->seen.await("gone"));
}

TEST_F(TlsServer, closes_connections_that_do_not_use_tls) {
    start();
    RawClient client(server_->port());
    client.send(post_request("{}"));
    EXPECT_THAT(client.read_to_end(), ::testing::Not(HasSubstr("HTTP/1.1")));
    EXPECT_TRUE(server_->seen.all().empty());
}

TEST_F(TlsServer, closes_a_handshake_that_never_ends) {
    start(HttpServerOptions().time(time_));
    RawClient client(server_->port());
    client.send("\x16\x03\x01");
    for (int i = 0; i < 60 && !client.readable(2); ++i) {
        time_.advance(1s);
        server_->settle();
    }
    EXPECT_TRUE(client.readable(0));
    EXPECT_TRUE(client.ends());
}

TEST_F(TlsServer, identifies_clients_by_their_certificates) {
    tls_.client_authorities(files_.authority());
    start(HttpServerOptions().verifier(client_certificates()));
    TlsClient ada(server_->port(), trusting(files_.issue("client", "ada")));
    ada.send(whoami());
    EXPECT_THAT(ada.read_to_end(), EndsWith("CN=ada"));
    TlsClient nobody(server_->port(), trusting());
    nobody.send(whoami());
    EXPECT_EQ(nobody.read_to_end(), "");
}

TEST_F(TlsServer, uses_a_new_certificate_after_reload) {
    start();
    TlsClient before(server_->port(), trusting());
    EXPECT_EQ(before.engine().peer_subject(), "CN=first");
    files_.issue("server", "second", "DNS:localhost");
    server_->listener().reload_tls();
    TlsClient after(server_->port(), trusting());
    EXPECT_EQ(after.engine().peer_subject(), "CN=second");
    // Open connections keep using the old certificate.
    before.send(post_request("{}"));
    EXPECT_THAT(before.read_until("}"), EndsWith("{\"echo\":2}"));
}

TEST_F(TlsServer, keeps_its_certificate_if_the_new_one_is_invalid) {
    start();
    std::filesystem::remove(identity_.key);
    EXPECT_THROW(server_->listener().reload_tls(), Error);
    TlsClient client(server_->port(), trusting());
    EXPECT_EQ(client.engine().peer_subject(), "CN=first");
}

TEST_F(TlsServer, notices_that_its_files_have_changed) {
    start(HttpServerOptions().time(time_));
    TlsClient keeps_the_clock_going(server_->port(), trusting());
    files_.issue("server", "second", "DNS:localhost");
    std::string subject;
    for (int i = 0; i < 30 && subject != "CN=second"; ++i) {
        time_.advance(1s);
        server_->settle();
        TlsClient client(server_->port(), trusting());
        subject = client.engine().peer_subject();
    }
    EXPECT_EQ(subject, "CN=second");
}

TEST_F(TlsServer, needs_the_right_url_and_files) {
    auto const listen = [](std::string const& url, HttpServerOptions const& options) {
        http::make_listener(url, options, {});
    };
    EXPECT_THROW(listen("https://localhost:0/mcp", HttpServerOptions()), Error);
    EXPECT_THROW(listen("http://localhost:0/mcp", HttpServerOptions().tls(tls_)), Error);
    EXPECT_THROW(listen("https://localhost:0/mcp",
                        HttpServerOptions().tls(TlsOptions("/nowhere", "/nowhere"))),
                 Error);
    TestServer plain;
    EXPECT_THROW(plain.listener().reload_tls(), Error);
}

}  // namespace
}  // namespace lanyard::test

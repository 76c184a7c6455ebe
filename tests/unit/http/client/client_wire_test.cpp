// One connection of a client: plain, through a proxy, with TLS, with bytes split anywhere.
#include "http/client/client_wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/certificates.hpp"

namespace lanyard::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Event = ClientWire::Event;

// Returns the events of the wire until it needs more input.
std::vector<std::string> events(ClientWire& wire) {
    std::vector<std::string> all;
    for (;;) {
        switch (wire.next()) {
            case Event::need_more:
                return all;
            case Event::ready:
                all.emplace_back("ready");
                break;
            case Event::head:
                all.push_back("head " + std::to_string(wire.head().status));
                break;
            case Event::body:
                all.push_back("body " + std::string(wire.body()));
                break;
            case Event::done:
                all.emplace_back("done");
                return all;
            case Event::failed:
                all.push_back("failed " + std::string(wire.fault().what()));
                return all;
        }
    }
}

std::string take_output(ClientWire& wire) {
    std::string all;
    while (!wire.output().empty()) {
        auto const piece = wire.output().substr(0, 1000);
        all.append(piece);
        wire.consume(piece.size());
    }
    return all;
}

TEST(ClientWire, carries_consecutive_requests) {
    ClientWire wire({});
    wire.start();
    EXPECT_THAT(events(wire), ElementsAre("ready"));
    EXPECT_TRUE(wire.is_ready());
    for (int i = 0; i < 2; ++i) {
        wire.send("GET / HTTP/1.1\r\n\r\n");
        EXPECT_EQ(take_output(wire), "GET / HTTP/1.1\r\n\r\n");
        EXPECT_FALSE(wire.answer_begun());
        wire.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab");
        EXPECT_THAT(events(wire), ElementsAre("head 200", "body ab", "done"));
        EXPECT_TRUE(wire.answer_begun());
        EXPECT_TRUE(wire.reusable());
    }
}

TEST(ClientWire, cannot_be_reused_after_connection_close) {
    ClientWire wire({});
    wire.start();
    events(wire);
    wire.send("x");
    wire.receive("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    take_output(wire);
    events(wire);
    EXPECT_FALSE(wire.reusable());
    ClientWire chatty({});
    chatty.start();
    events(chatty);
    chatty.send("x");
    take_output(chatty);
    chatty.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200");
    EXPECT_THAT(events(chatty), ElementsAre("head 200", "done"));
    EXPECT_FALSE(chatty.reusable()) << "more came than was asked for";
}

TEST(ClientWire, completes_or_fails_the_answer_when_the_connection_ends) {
    ClientWire wire({});
    wire.start();
    events(wire);
    wire.send("x");
    EXPECT_EQ(wire.finish(), Event::failed);
    EXPECT_TRUE(wire.fault().is(Errc::transport_down));
    EXPECT_EQ(wire.finish(), Event::failed);
    EXPECT_EQ(wire.next(), Event::failed);
    ClientWire until_close({});
    until_close.start();
    events(until_close);
    until_close.send("x");
    until_close.receive("HTTP/1.1 200 OK\r\n\r\nabc");
    EXPECT_THAT(events(until_close), ElementsAre("head 200", "body abc"));
    EXPECT_EQ(until_close.finish(), Event::done);
    EXPECT_FALSE(until_close.reusable());
}

TEST(ClientWire, enforces_limits_and_rules) {
    ClientWireOptions options;
    options.limits.max_body_bytes = 3;
    ClientWire wire(options);
    wire.start();
    events(wire);
    wire.send("x");
    wire.receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
    events(wire);
    EXPECT_TRUE(wire.fault().is(Errc::too_large));
    ClientWire odd({});
    odd.start();
    events(odd);
    odd.send("x");
    odd.receive("SSH-2.0-OpenSSH\r\n\r\n");
    events(odd);
    EXPECT_TRUE(odd.fault().is(Errc::protocol_violation));
}

class Tunnel : public ::testing::Test {
protected:
    Tunnel() {
        options.tunnel = "a.example:443";
        options.proxy_authorization = "Basic eDp5";
    }
    ClientWireOptions options;
};

TEST_F(Tunnel, is_requested_first) {
    ClientWire wire(options);
    wire.start();
    EXPECT_FALSE(wire.is_ready());
    EXPECT_EQ(take_output(wire),
              "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n"
              "Proxy-Authorization: Basic eDp5\r\n\r\n");
    for (char const c : std::string_view("HTTP/1.1 200 Connection established\r\n\r")) {
        wire.receive({&c, 1});
        EXPECT_EQ(wire.next(), Event::need_more);
    }
    wire.receive("\n");
    EXPECT_THAT(events(wire), ElementsAre("ready"));
}

TEST_F(Tunnel, may_be_refused) {
    struct Case {
        std::string answer;
        Errc code;
    };
    Case const cases[] = {
        {"HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n", Errc::unauthorized},
        {"HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n", Errc::unavailable},
        {"nonsense\r\n\r\n", Errc::transport_down},
        {"HTTP/1.1 200 X\r\n\r\nmore", Errc::transport_down},
    };
    for (auto const& each : cases) {
        ClientWire wire(options);
        wire.start();
        wire.receive(each.answer);
        EXPECT_EQ(wire.next(), Event::failed);
        EXPECT_TRUE(wire.fault().is(each.code)) << wire.fault().what();
    }
    ClientWire wire(options);
    wire.start();
    EXPECT_EQ(wire.finish(), Event::failed);
    EXPECT_THAT(wire.fault().message(), HasSubstr("proxy"));
}

class Tls : public ::testing::Test {
protected:
    ClientWireOptions client_options(sockets::TlsClientRules const& rules) {
        ClientWireOptions options;
        options.tls = sockets::TlsContext::client(rules).value();
        options.host = "localhost";
        return options;
    }
    // Exchanges bytes between both ends until neither has any left.
    std::vector<std::string> talk(ClientWire& wire, sockets::TlsEngine& server) {
        std::vector<std::string> all;
        for (bool moved = true; moved;) {
            moved = false;
            auto const forth = take_output(wire);
            if (!forth.empty()) server.receive(forth);
            std::string plain;
            while (server.read(plain)) heard_ += plain;
            std::string const back(server.output());
            server.consume(back.size());
            if (!back.empty()) {
                wire.receive(back);
                for (auto& event : events(wire)) all.push_back(std::move(event));
            }
            moved = !forth.empty() || !back.empty();
        }
        return all;
    }

    lanyard::test::Certificates certificates_;
    lanyard::test::Certificates::Identity identity_ =
        certificates_.issue("server", "server", "DNS:localhost,IP:127.0.0.1");
    sockets::TlsContext server_context_ =
        sockets::TlsContext::server({identity_.certificate, identity_.key}).value();
    std::string heard_;
};

TEST_F(Tls, carries_requests_and_answers_of_any_size) {
    sockets::TlsClientRules rules;
    rules.authorities = certificates_.authority();
    ClientWire wire(client_options(rules));
    sockets::TlsEngine server(server_context_);
    wire.start();
    EXPECT_FALSE(wire.is_ready());
    EXPECT_THAT(talk(wire, server), ElementsAre("ready"));
    std::string const request(3'000'000, 'q');
    wire.send(request);
    talk(wire, server);
    EXPECT_EQ(heard_, request);
    server.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_THAT(talk(wire, server), ElementsAre("head 200", "body abc", "done"));
    EXPECT_TRUE(wire.reusable());
}

TEST_F(Tls, an_end_without_close_notify_is_an_error) {
    sockets::TlsClientRules rules;
    rules.authorities = certificates_.authority();
    for (bool const orderly : {true, false}) {
        ClientWire wire(client_options(rules));
        sockets::TlsEngine server(server_context_);
        wire.start();
        talk(wire, server);
        wire.send("x");
        talk(wire, server);
        server.write("HTTP/1.1 200 OK\r\n\r\nabc");
        if (orderly) server.end();
        auto seen = talk(wire, server);
        if (seen.back() != "done") {
            seen.push_back(wire.finish() == Event::done ? "done" : wire.fault().message());
        }
        EXPECT_EQ(seen.back(), orderly ? "done" : "the server closed the connection");
    }
}

TEST_F(Tls, an_untrusted_certificate_is_refused_by_default) {
    sockets::TlsEngine server(server_context_);
    ClientWire wire(client_options({}));
    wire.start();
    auto const seen = talk(wire, server);
    ASSERT_FALSE(seen.empty());
    EXPECT_THAT(seen.back(), HasSubstr("no secure connection"));
    EXPECT_TRUE(wire.fault().is(Errc::unavailable));
    sockets::TlsClientRules rules;
    rules.insecure = true;
    sockets::TlsEngine other(server_context_);
    ClientWire trusting(client_options(rules));
    trusting.start();
    EXPECT_THAT(talk(trusting, other), ElementsAre("ready"));
}

TEST_F(Tls, a_client_whose_certificate_is_missing_is_unauthorized) {
    auto const demanding = sockets::TlsContext::server(
                               {identity_.certificate, identity_.key, certificates_.authority()})
                               .value();
    sockets::TlsEngine server(demanding);
    sockets::TlsClientRules rules;
    rules.authorities = certificates_.authority();
    ClientWire wire(client_options(rules));
    wire.start();
    talk(wire, server);
    // With TLS 1.3 the client receives the refusal only now.
    if (wire.is_ready()) wire.send("x");
    talk(wire, server);
    EXPECT_TRUE(wire.fault().is(Errc::unauthorized)) << wire.fault().message();
    EXPECT_THAT(wire.fault().message(), HasSubstr("certificate required"));
}

TEST_F(Tls, a_truncated_handshake_fails) {
    ClientWire wire(client_options({}));
    wire.start();
    EXPECT_EQ(wire.finish(), Event::failed);
    EXPECT_TRUE(wire.fault().is(Errc::unavailable));
}

TEST_F(Tls, invalid_bytes_end_the_connection) {
    sockets::TlsClientRules rules;
    rules.authorities = certificates_.authority();
    ClientWire wire(client_options(rules));
    sockets::TlsEngine server(server_context_);
    wire.start();
    talk(wire, server);
    wire.send("x");
    std::string const nonsense(40, 'x');
    wire.receive(nonsense);
    EXPECT_THAT(events(wire).back(), HasSubstr("the secure connection broke"));
    ClientWire early(client_options(rules));
    early.start();
    early.receive(nonsense);
    EXPECT_EQ(early.next(), Event::failed);
    EXPECT_TRUE(early.fault().is(Errc::unavailable));
}

TEST_F(Tls, goes_through_a_tunnel) {
    sockets::TlsClientRules rules;
    rules.authorities = certificates_.authority();
    auto options = client_options(rules);
    options.tunnel = "localhost:443";
    ClientWire wire(options);
    wire.start();
    EXPECT_THAT(take_output(wire), HasSubstr("CONNECT"));
    wire.receive("HTTP/1.1 200 OK\r\n\r\n");
    EXPECT_EQ(wire.next(), Event::need_more);
    sockets::TlsEngine server(server_context_);
    EXPECT_THAT(talk(wire, server), ElementsAre("ready"));
}

}  // namespace
}  // namespace lanyard::http

#include "sockets/tls_engine.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "sockets/tls_source.hpp"
#include "support/certificates.hpp"

namespace lanyard::sockets {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using State = TlsEngine::State;

// All tests share one certificate authority, because generating keys takes time.
class Tls : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        files_ = std::make_unique<test::Certificates>();
        server_ = files_->issue("server", "server", "DNS:localhost,IP:127.0.0.1,IP:::1");
        client_ = files_->issue("client", "ada");
    }
    static void TearDownTestSuite() { files_.reset(); }

    static TlsContext server_context(bool mutual = false) {
        return TlsContext::server(
                   {server_.certificate, server_.key, mutual ? files_->authority() : std::string()})
            .value();
    }
    static TlsClientRules trusting() {
        TlsClientRules rules;
        rules.authorities = files_->authority();
        return rules;
    }
    static TlsContext client_context() { return TlsContext::client(trusting()).value(); }

    static inline std::unique_ptr<test::Certificates> files_;
    static inline test::Certificates::Identity server_;
    static inline test::Certificates::Identity client_;
};

// Carries bytes between the two engines until neither has any left; appends what each has read.
struct Pair {
    TlsEngine& server;
    TlsEngine& client;
    std::string at_server{};
    std::string at_client{};
    std::size_t step = 100'000;  // bytes carried at a time

    void carry() {
        for (bool moved = true; moved;) {
            moved = move(client, server, at_server);
            moved = move(server, client, at_client) || moved;
        }
    }

    bool move(TlsEngine& from, TlsEngine& to, std::string& text) const {
        auto const bytes = std::string(from.output().substr(0, step));
        from.consume(bytes.size());
        to.receive(bytes);
        std::string piece;
        while (to.read(piece)) text += piece;
        return !bytes.empty();
    }
};

TEST_F(Tls, carries_text_both_ways) {
    TlsEngine server(server_context());
    TlsEngine client(client_context(), "localhost");
    EXPECT_EQ(client.write("too early"), 0u);
    client.start();
    Pair pair{server, client};
    pair.carry();
    ASSERT_EQ(server.state(), State::open);
    ASSERT_EQ(client.state(), State::open);
    EXPECT_EQ(client.write("ping"), 4u);
    EXPECT_EQ(server.write("pong"), 4u);
    pair.carry();
    EXPECT_EQ(pair.at_server, "ping");
    EXPECT_EQ(pair.at_client, "pong");
    EXPECT_EQ(server.protocol(), "http/1.1");
    EXPECT_EQ(client.protocol(), "http/1.1");
    EXPECT_EQ(server.peer_subject(), "");
    EXPECT_EQ(client.peer_subject(), "CN=server");
}

TEST_F(Tls, carries_text_byte_by_byte) {
    TlsEngine server(server_context());
    TlsEngine client(client_context(), "127.0.0.1");
    client.start();
    Pair pair{server, client};
    pair.step = 1;
    pair.carry();
    client.write("ping");
    pair.carry();
    EXPECT_EQ(pair.at_server, "ping");
}

TEST_F(Tls, encrypts_a_limited_amount_ahead_of_the_peer) {
    TlsEngine server(server_context());
    TlsEngine client(client_context(), "::1");
    client.start();
    Pair pair{server, client};
    pair.carry();
    std::string const text(1'000'000, 'x');
    std::size_t written = server.write(text);
    EXPECT_LT(written, 200'000u);
    EXPECT_LT(server.output().size(), 200'000u);
    while (written < text.size()) {
        pair.carry();
        written += server.write(std::string_view(text).substr(written));
    }
    pair.carry();
    EXPECT_EQ(pair.at_client, text);
}

TEST_F(Tls, ends_with_close_notify) {
    TlsEngine server(server_context());
    TlsEngine client(client_context(), "localhost");
    server.end();  // nothing to end yet
    client.start();
    Pair pair{server, client};
    pair.carry();
    server.write("last");
    server.end();
    pair.carry();
    EXPECT_EQ(pair.at_client, "last");
    EXPECT_EQ(client.state(), State::ended);
    // The other direction is still open.
    client.write("answer");
    pair.carry();
    EXPECT_EQ(pair.at_server, "answer");
}

TEST_F(Tls, refuses_a_certificate_of_another_host) {
    for (auto const host : {"other.example", "127.0.0.2", "::2"}) {
        TlsEngine server(server_context());
        TlsEngine client(client_context(), host);
        client.start();
        Pair{server, client}.carry();
        EXPECT_EQ(client.state(), State::failed);
        EXPECT_THAT(client.fault(), HasSubstr("certificate was refused")) << host;
        EXPECT_EQ(server.state(), State::failed);
    }
}

TEST_F(Tls, refuses_an_untrusted_certificate) {
    test::Certificates const others;
    TlsClientRules rules;
    rules.authorities = others.authority();
    TlsEngine server(server_context());
    TlsEngine client(TlsContext::client(rules).value(), "localhost");
    client.start();
    Pair{server, client}.carry();
    EXPECT_EQ(client.state(), State::failed);
}

TEST_F(Tls, accepts_any_certificate_if_insecure) {
    TlsClientRules rules;
    rules.insecure = true;
    TlsEngine server(server_context());
    TlsEngine client(TlsContext::client(rules).value(), "other.example");
    client.start();
    Pair{server, client}.carry();
    EXPECT_EQ(client.state(), State::open);
    EXPECT_EQ(client.peer_subject(), "");
}

TEST_F(Tls, identifies_a_client_by_its_certificate) {
    auto rules = trusting();
    rules.certificate = client_.certificate;
    rules.key = client_.key;
    TlsEngine server(server_context(true));
    TlsEngine client(TlsContext::client(rules).value(), "localhost");
    client.start();
    Pair{server, client}.carry();
    ASSERT_EQ(server.state(), State::open);
    EXPECT_EQ(server.peer_subject(), "CN=ada");
}

TEST_F(Tls, refuses_a_client_without_a_certificate_if_one_is_required) {
    TlsEngine server(server_context(true));
    TlsEngine client(client_context(), "localhost");
    client.start();
    Pair{server, client}.carry();
    EXPECT_EQ(server.state(), State::failed);
    EXPECT_FALSE(server.fault().empty());
}

TEST_F(Tls, fails_on_bytes_that_are_not_tls) {
    TlsEngine server(server_context());
    server.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(server.state(), State::failed);
    server.receive("more");
    std::string text;
    EXPECT_FALSE(server.read(text));
    EXPECT_EQ(server.write("text"), 0u);
}

TEST_F(Tls, errors_name_the_file) {
    auto const missing = TlsContext::server({"/nowhere.pem", server_.key});
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message(), HasSubstr("/nowhere.pem"));
    auto const no_key = TlsContext::server({server_.certificate, server_.certificate});
    ASSERT_FALSE(no_key);
    EXPECT_THAT(no_key.error().message(), HasSubstr("cannot use the key"));
    auto const foreign = TlsContext::server({server_.certificate, client_.key});
    ASSERT_FALSE(foreign);
    auto const no_authority = TlsContext::server({server_.certificate, server_.key, "/nowhere"});
    ASSERT_FALSE(no_authority);
    EXPECT_THAT(no_authority.error().message(), HasSubstr("/nowhere"));
    TlsClientRules rules;
    rules.authorities = "/nowhere";
    EXPECT_FALSE(TlsContext::client(rules));
    rules = trusting();
    rules.certificate = client_.certificate;
    EXPECT_FALSE(TlsContext::client(rules));
}

// Issues a certificate, whose file is newer than all previous ones.
std::string renewed(test::Certificates const& files, std::string const& name) {
    static int issued = 0;
    auto const identity = files.issue("renewed", name, "DNS:localhost");
    std::filesystem::last_write_time(
        identity.certificate,
        std::filesystem::last_write_time(identity.certificate) + std::chrono::minutes(++issued));
    return identity.certificate;
}

class TlsFiles : public Tls {
protected:
    TlsFiles() : certificate_(renewed(*files_, "first")) {}

    TlsOptions options(Duration interval) const {
        return TlsOptions(certificate_, files_->path("renewed.key")).check_interval(interval);
    }
    // The name in the certificate that a new connection gets.
    static std::string subject(TlsSource const& source) {
        TlsEngine server(source.current());
        TlsEngine client(client_context(), "localhost");
        client.start();
        Pair{server, client}.carry();
        return client.peer_subject();
    }

    std::string certificate_;
    TimePoint const begin_{std::chrono::hours(1)};
};

TEST_F(TlsFiles, are_checked_once_in_each_interval) {
    TlsSource source(options(3s));
    EXPECT_FALSE(source.check(begin_)) << "nothing has changed";
    renewed(*files_, "second");
    EXPECT_FALSE(source.check(begin_ + 3s - 1ns));
    EXPECT_EQ(subject(source), "CN=first");
    auto const reloaded = source.check(begin_ + 3s);
    ASSERT_TRUE(reloaded);
    EXPECT_TRUE(*reloaded);
    EXPECT_EQ(subject(source), "CN=second");
}

TEST_F(TlsFiles, that_are_invalid_do_not_replace_valid_ones) {
    TlsSource source(options(3s));
    renewed(*files_, "second");
    std::ofstream(files_->path("renewed.key")) << "no key";
    auto const reloaded = source.check(begin_);
    ASSERT_TRUE(reloaded);
    EXPECT_FALSE(*reloaded);
    EXPECT_EQ(subject(source), "CN=first");
    EXPECT_FALSE(source.check(begin_ + 1h)) << "the same error is reported once";
}

TEST_F(TlsFiles, are_not_checked_without_an_interval) {
    TlsSource source(options(0s));
    renewed(*files_, "second");
    EXPECT_FALSE(source.check(begin_ + 24h));
    EXPECT_EQ(subject(source), "CN=first");
    EXPECT_TRUE(source.reload());
    EXPECT_EQ(subject(source), "CN=second");
}

}  // namespace
}  // namespace lanyard::sockets

// Servers and clients over TLS.
#include <gmock/gmock.h>

#include <filesystem>

#include "integration/http/raw_client.hpp"
#include "integration/http/tls_client.hpp"
#include "lanyard/testing/fake_time.hpp"
#include "stream_server.hpp"
#include "support/certificates.hpp"

namespace lanyard::stream_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr char const* anywhere = "tls://localhost:0";

class TlsStream : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        files_ = std::make_unique<test::Certificates>();
        server_ = files_->issue("server", "server", "DNS:localhost,IP:127.0.0.1");
        client_ = files_->issue("client", "ada");
    }
    static void TearDownTestSuite() { files_.reset(); }

    static StreamServerOptions options(bool mutual = false) {
        TlsOptions tls(server_.certificate, server_.key);
        if (mutual) tls.client_authorities(files_->authority());
        return StreamServerOptions().tls(tls);
    }
    static StreamClientOptions trusting() {
        return StreamClientOptions().ca_file(files_->authority());
    }
    static StreamClientOptions known() {
        return trusting().client_certificate(client_.certificate, client_.key);
    }

    inline static std::unique_ptr<test::Certificates> files_;
    inline static test::Certificates::Identity server_;
    inline static test::Certificates::Identity client_;
};

TEST_F(TlsStream, carries_calls_in_both_eras) {
    StreamServer server(anywhere, options());
    for (auto const version : {Version::v2025_11_25, Version::v2026_07_28}) {
        ClientOptions client_options;
        client_options.versions({version});
        auto const client = connect(server.url(), client_options, trusting());
        EXPECT_EQ(client.call<std::string>("who"), " by tls");
        // More than one TLS record, in both directions.
        std::string const large(3'000'000, 'x');
        EXPECT_EQ(echo(client, large), large);
    }
}

TEST_F(TlsStream, a_client_refuses_untrusted_certificates_by_default) {
    StreamServer server(anywhere, options());
    auto const untrusted = connect_error(server.url());
    EXPECT_TRUE(untrusted.is(Errc::unavailable));
    EXPECT_THAT(untrusted.message(), HasSubstr("certificate"));
    StreamClientOptions insecure;
    insecure.insecure(true);
    auto const client = connect(server.url(), ClientOptions(), insecure);
    EXPECT_EQ(echo(client, "whoever"), "whoever");
}

TEST_F(TlsStream, the_certificate_of_a_client_is_its_identity) {
    StreamServer server(anywhere, options(true));
    auto const client = connect(server.url(), ClientOptions(), known());
    EXPECT_EQ(client.call<std::string>("who"), "CN=ada by tls");
}

TEST_F(TlsStream, a_verifier_can_refuse_a_certificate) {
    StreamServer server(anywhere, options(true).verifier(client_certificates()));
    auto const client = connect(server.url(), ClientOptions(), known());
    EXPECT_EQ(client.call<std::string>("who"), "CN=ada by tls");
}

TEST_F(TlsStream, a_client_without_a_certificate_is_refused_if_one_is_required) {
    StreamServer server(anywhere, options(true));
    auto const error = connect_error(server.url(), trusting());
    EXPECT_TRUE(error.is(Errc::unauthorized));
    EXPECT_THAT(error.message(), HasSubstr("certificate required"));
    EXPECT_TRUE(eventually([&] {
        auto const stats = server.listener().stats();
        return stats.failed > 0 && stats.failed == stats.accepted;
    }));
    EXPECT_TRUE(eventually([&] { return server.listener().stats().open == 0; }));
}

TEST_F(TlsStream, clients_without_tls_are_refused) {
    StreamServer server(anywhere, options());
    test::RawClient raw(server.listener().port());
    raw.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    EXPECT_TRUE(raw.ends());
    EXPECT_TRUE(eventually([&] { return server.listener().stats().failed == 1; }));
}

TEST_F(TlsStream, a_public_address_needs_only_client_certificates) {
    EXPECT_THROW(listen("tls://0.0.0.0:0", options())->port(), Error);
    EXPECT_NE(listen("tls://0.0.0.0:0", options(true))->port(), 0);
}

TEST_F(TlsStream, new_connections_use_changed_files) {
    testing::FakeTime time;
    auto const issue = [](std::string const& name) {
        return files_->issue("renewed", name, "DNS:localhost");
    };
    auto const first = issue("first");
    TlsOptions tls(first.certificate, first.key);
    StreamServer server(anywhere, StreamServerOptions().tls(tls.check_interval(3s)).time(time));
    auto const context = sockets::TlsContext::client({files_->authority(), "", "", false}).value();
    auto const subject = [&] {
        return test::TlsClient(server.listener().port(), context).engine().peer_subject();
    };
    EXPECT_EQ(subject(), "CN=first");
    auto const second = issue("second");
    // The system's time stamps of files are too coarse to tell the two apart.
    std::filesystem::last_write_time(second.certificate,
                                     std::filesystem::last_write_time(second.certificate) + 1min);
    time.advance(3s - 1ns);
    EXPECT_EQ(subject(), "CN=first");
    time.advance(1ns);
    EXPECT_EQ(subject(), "CN=second");
}

TEST_F(TlsStream, the_certificate_must_match_the_url) {
    EXPECT_THROW(listen(anywhere, StreamServerOptions())->port(), Error);
    EXPECT_THROW(listen("tcp://localhost:0", options())->port(), Error);
    auto const missing = listen(anywhere, StreamServerOptions().tls({"/nowhere", "/nowhere"}));
    EXPECT_THROW(missing->port(), Error);
    auto const plain = listen("tcp://localhost:0", StreamServerOptions());
    EXPECT_THROW(plain->reload_tls(), Error);
    auto const secure = listen(anywhere, options());
    EXPECT_NO_THROW(secure->reload_tls());
}

}  // namespace
}  // namespace lanyard::stream_test

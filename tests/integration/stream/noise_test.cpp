// Peers that connect to a stream listener but do not send JSON, such as a browser: none of their
// input is executed.
#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <filesystem>

#include <sys/un.h>

#include "integration/http/raw_client.hpp"
#include "integration/http/tls_client.hpp"
#include "stream_server.hpp"
#include "support/certificates.hpp"

namespace lanyard::stream_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view modern_call =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"count","arguments":{},)"
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"page","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})"
    "\n";

constexpr std::string_view session_call =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"page","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n"
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"count","arguments":{}}})"
    "\n";

std::string post_head(std::string_view body) {
    return "POST / HTTP/1.1\r\nHost: 127.0.0.1:4000\r\nOrigin: http://evil.example\r\n"
           "Content-Type: text/plain;charset=UTF-8\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n";
}

// A connection with or without TLS.
class Connection {
public:
    explicit Connection(test::RawClient raw)
        : raw_(std::make_unique<test::RawClient>(std::move(raw))) {}
    Connection(std::uint16_t port, sockets::TlsContext const& context)
        : tls_(std::make_unique<test::TlsClient>(port, context)) {}

    void send(std::string_view text) const {
        if (raw_) {
            raw_->send(text);
        } else {
            tls_->send(text);
        }
    }
    std::string read_until(std::string_view text) const {
        return raw_ ? raw_->read_until(text) : tls_->read_until(text);
    }
    std::string read_to_end() const { return raw_ ? raw_->read_to_end() : tls_->read_to_end(); }

private:
    std::unique_ptr<test::RawClient> raw_;
    std::unique_ptr<test::TlsClient> tls_;
};

// A server on TCP, with or without TLS, or on a Unix socket, whose only tool increments a counter.
class Noise : public ::testing::TestWithParam<char const*> {
protected:
    Noise() {
        std::string url = "tcp://127.0.0.1:0";
        StreamServerOptions options;
        if (std::string_view(GetParam()) == "tls") {
            auto const identity = files_.issue("server", "server", "DNS:localhost");
            options.tls(TlsOptions(identity.certificate, identity.key));
            url = "tls://localhost:0";
        }
        if (std::string_view(GetParam()) == "unix") {
            std::string pattern =
                (std::filesystem::temp_directory_path() / "noise-XXXXXX").string();
            if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
            folder_ = pattern;
            url = "unix:" + pattern + "/s";
        }
        server_.emplace(url, std::move(options));
        server_->server().tool("count", "Counts", [this] { return std::to_string(++count_); });
    }
    ~Noise() override {
        server_.reset();
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
    }

    Connection connect_raw() {
        auto const port = folder_.empty() ? server_->listener().port() : std::uint16_t{0};
        if (std::string_view(GetParam()) == "tls") {
            auto const context = sockets::TlsContext::client({files_.authority(), "", "", false});
            return Connection(port, context.value());
        }
        if (folder_.empty()) return Connection(test::RawClient(port));
        transport::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, (folder_ + "/s").c_str(), sizeof address.sun_path - 1);
        EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
                  0);
        return Connection(test::RawClient(std::move(socket)));
    }

    void expect_one_error(std::string const& answers) const {
        EXPECT_THAT(answers, StartsWith(R"({"jsonrpc":"2.0",)"));
        EXPECT_THAT(answers, HasSubstr("-32700"));
        EXPECT_EQ(answers.find('\n'), answers.size() - 1) << answers;
        EXPECT_EQ(count_, 0);
    }

    std::atomic<int> count_ = 0;
    test::Certificates files_;
    std::string folder_;
    std::optional<StreamServer> server_;
};

TEST_P(Noise, an_http_request_never_runs_a_call) {
    for (auto const body : {modern_call, session_call}) {
        auto client = connect_raw();
        client.send(post_head(body) + std::string(body));
        expect_one_error(client.read_to_end());
    }
    EXPECT_EQ(server_->server().limit_counts().noise, 2U);
}

TEST_P(Noise, an_http_request_in_pieces_never_runs_a_call) {
    for (auto const body : {modern_call, session_call}) {
        auto client = connect_raw();
        client.send(post_head(body));
        auto const answer = client.read_until("\n");
        client.send(body);
        expect_one_error(answer + client.read_to_end());
    }
}

TEST_P(Noise, json_that_is_no_message_does_not_make_later_http_acceptable) {
    auto client = connect_raw();
    client.send("[]\n{}\n");
    client.read_until("\n");
    client.read_until("\n");
    client.send("GET / HTTP/1.1\r\n" + std::string(modern_call));
    expect_one_error(client.read_to_end());
}

TEST_P(Noise, garbage_after_a_message_is_tolerated) {
    auto client = connect_raw();
    client.send(modern_call);
    EXPECT_THAT(client.read_until("\n"), HasSubstr(R"("id":7)"));
    client.send("garbage\n" + std::string(modern_call));
    EXPECT_THAT(client.read_until("\n"), HasSubstr("-32700"));
    EXPECT_THAT(client.read_until("\n"), HasSubstr(R"("id":7)"));
    EXPECT_EQ(count_, 2);
    EXPECT_EQ(server_->server().limit_counts().noise, 0U);
}

INSTANTIATE_TEST_SUITE_P(Carriers, Noise, ::testing::Values("tcp", "tls", "unix"),
                         [](auto const& info) { return std::string(info.param); });

}  // namespace
}  // namespace lanyard::stream_test

#include "transport/stream_url.hpp"

#include <gmock/gmock.h>

#include "lanyard/transport/stream.hpp"

namespace lanyard::transport {
namespace {

using ::testing::HasSubstr;

TEST(StreamUrl, has_a_host_and_a_port) {
    auto const url = StreamUrl::parse("tcp://Example.com:4000").value();
    EXPECT_EQ(url.kind, StreamUrl::Kind::tcp);
    EXPECT_EQ(url.host, "example.com");
    EXPECT_EQ(url.port, 4000);
    EXPECT_FALSE(url.loopback);
    EXPECT_EQ(url.to_string(), "tcp://example.com:4000");
    EXPECT_EQ(StreamUrl::parse("TLS://[::1]:0/").value().to_string(), "tls://[::1]:0");
    EXPECT_TRUE(StreamUrl::parse("tls://[::1]:0").value().loopback);
    EXPECT_TRUE(StreamUrl::parse("tcp://127.3.4.5:1").value().loopback);
    EXPECT_TRUE(StreamUrl::parse("tcp://localhost:1").value().loopback);
    EXPECT_FALSE(StreamUrl::parse("tcp://0.0.0.0:1").value().loopback);
}

TEST(StreamUrl, has_the_path_of_a_unix_socket) {
    for (auto const* const text : {"unix:/run/demo.sock", "unix:///run/demo.sock"}) {
        auto const url = StreamUrl::parse(text).value();
        EXPECT_EQ(url.kind, StreamUrl::Kind::local);
        EXPECT_EQ(url.path, "/run/demo.sock");
        EXPECT_EQ(url.to_string(), "unix:/run/demo.sock");
        EXPECT_TRUE(url.loopback);
    }
    EXPECT_EQ(StreamUrl::parse("unix:demo.sock").value().path, "demo.sock");
}

TEST(StreamUrl, a_path_has_a_limit) {
    std::string const path = "/" + std::string(StreamUrl::max_path_bytes - 2, 'p');
    EXPECT_TRUE(StreamUrl::parse("unix:" + path));
    EXPECT_TRUE(StreamUrl::parse("unix:" + path + "p"));
    EXPECT_THAT(StreamUrl::parse("unix:" + path + "pp").error().message, HasSubstr("107 bytes"));
}

TEST(StreamUrl, errors_describe_the_fault) {
    EXPECT_THAT(StreamUrl::parse("udp://a:1").error().message,
                HasSubstr("tcp://, tls:// or unix:"));
    EXPECT_THAT(StreamUrl::parse("tcp://a").error().message, HasSubstr("port is missing"));
    EXPECT_THAT(StreamUrl::parse("unix:").error().message, HasSubstr("missing"));
    EXPECT_THAT(StreamUrl::parse("unix://host/path").error().message, HasSubstr("no host"));
    EXPECT_THAT(StreamUrl::parse(std::string_view("unix:/a\0b", 9)).error().message,
                HasSubstr("NUL"));
    for (auto const* const text :
         {"tcp://", "tcp://:1", "tcp://a:65536", "tcp://a:b", "tcp://a:1/path", "tcp://u@a:1",
          "tcp://0x7f.1:1", "tcp://a b:1", "tcp://::1:1"}) {
        EXPECT_FALSE(StreamUrl::parse(text)) << text;
    }
}

TEST(StreamUrl, is_recognized_by_its_scheme) {
    EXPECT_TRUE(is_stream_url("tcp://a:1"));
    EXPECT_TRUE(is_stream_url("Unix:x"));
    EXPECT_TRUE(is_stream_url("tls://"));
    EXPECT_FALSE(is_stream_url("http://a"));
    EXPECT_FALSE(is_stream_url("tcp"));
}

TEST(StreamOptions, have_the_documented_defaults) {
    StreamServerOptions const server;
    EXPECT_EQ(server.max_connections(), 1'024U);
    EXPECT_EQ(server.idle_expiry(), std::chrono::minutes(5));
    EXPECT_EQ(server.threads(), 1U);
    EXPECT_EQ(server.socket_mode(), 0600U);
    EXPECT_FALSE(server.allow_public());
    EXPECT_EQ(server.socket().read_buffer_bytes(), 64U * 1024);
    EXPECT_EQ(server.socket().max_message_bytes(), 16U * 1024 * 1024);
    EXPECT_TRUE(server.socket().no_delay());
    EXPECT_EQ(server.socket().keepalive_interval(), std::chrono::seconds(30));
    StreamClientOptions const client;
    EXPECT_EQ(client.connect_timeout(), std::chrono::seconds(5));
    EXPECT_FALSE(client.insecure());
}

}  // namespace
}  // namespace lanyard::transport

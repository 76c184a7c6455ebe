// Limits on the length of the texts from clients that a server stores.
#include "unit/server/raw_client.hpp"

namespace lanyard::server {
namespace {

std::string request(std::string_view method, std::string const& params) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
           params + "}}";
}

std::string uri_of(std::size_t size) {
    std::string const begin = "files://local/";
    return begin + std::string(size - begin.size(), 'x');
}

std::string initialize_with(std::string const& info, std::string const& capabilities = "{}") {
    return request("initialize", R"("protocolVersion":"2025-11-25","capabilities":)" +
                                     capabilities + R"(,"clientInfo":)" + info);
}

std::string info_of(std::string const& name, std::string const& more = "") {
    return R"({"name":")" + name + R"(","version":"1")" + more + "}";
}

class SizeLimitsTest : public ::testing::Test {
protected:
    explicit SizeLimitsTest(ServerOptions const& limits = {})
        : server("s", "1", ServerOptions(limits).on_log([](auto, auto) {})) {
        server.resource_template("files://local/{name}", "file",
                                 [](UriVariables const&) { return std::string("content"); });
        server.tool("echo", "", [] { return "echo"; }, ToolOptions().inline_());
    }
    ~SizeLimitsTest() override {
        client.close();
        client.poll();
    }
    // The answer is no error; or it names the field that is too long and the limit, and is counted.
    void expect_fine(Json const& answer) {
        EXPECT_EQ(at(answer, "error"), nullptr);
        EXPECT_EQ(server.limit_counts().too_long, counted_);
    }
    void expect_too_long(Json const& answer, std::string_view what, std::string_view limit) {
        EXPECT_EQ(at(answer, "error", "code"), -32602);
        std::string const message(at(answer, "error", "message").as_string());
        EXPECT_NE(message.find(what), message.npos) << message;
        EXPECT_NE(message.find(std::string(limit) + " bytes"), message.npos) << message;
        EXPECT_EQ(server.limit_counts().too_long, ++counted_);
    }
    std::string subscribe(std::string const& uri) const {
        return request("resources/subscribe", R"("uri":")" + uri + R"(")");
    }
    std::string listen(std::string const& uri) const {
        return request("subscriptions/listen",
                       R"("notifications":{"resourceSubscriptions":["files://local/a",")" + uri +
                           R"("]},)" + RawClient::meta());
    }

    Server server;
    boost::asio::io_context context;
    RawClient client{context, server, 1 << 22};

private:
    std::uint64_t counted_ = 0;
};

TEST_F(SizeLimitsTest, a_uri_may_be_as_long_as_the_limit) {
    client.initialize();
    expect_fine(client.answer(subscribe(uri_of(8192))));
    expect_too_long(client.answer(subscribe(uri_of(8193))), "uri", "8192");
    auto const read = [](std::size_t size) {
        return request("resources/read", R"("uri":")" + uri_of(size) + R"(")");
    };
    expect_fine(client.answer(read(8192)));
    expect_too_long(client.answer(read(8193)), "uri", "8192");
    expect_too_long(client.answer(read(1'000'000)), "uri", "8192");

    RawClient modern(context, server, 1 << 22);
    EXPECT_EQ(at(modern.ask(listen(uri_of(8192))), "method"),
              "notifications/subscriptions/acknowledged");
    RawClient other(context, server, 1 << 22);
    expect_too_long(other.ask(listen(uri_of(8193))), "resourceSubscriptions/1", "8192");
    for (auto* const each : {&modern, &other}) {
        each->close();
        each->poll();
    }
}

TEST_F(SizeLimitsTest, a_cursor_may_be_as_long_as_the_limit) {
    client.initialize();
    auto const list = [](std::size_t size) {
        return request("tools/list", R"("cursor":")" + std::string(size, 'x') + R"(")");
    };
    EXPECT_NE(at(client.answer(list(8190)), "error"), nullptr) << "it is none of the server's";
    EXPECT_EQ(server.limit_counts().too_long, 0U);
    expect_too_long(client.answer(list(8191)), "cursor", "8192");
}

TEST_F(SizeLimitsTest, the_description_of_a_client_in_the_handshake_is_limited) {
    auto const open = [&](std::string const& text) {
        RawClient one(context, server, 1 << 22);
        auto answer = one.answer(text);
        one.close();
        one.poll();
        return answer;
    };
    auto const text = [](std::size_t size) { return std::string(size, 'n'); };
    expect_fine(open(initialize_with(info_of(text(1024)))));
    expect_too_long(open(initialize_with(info_of(text(1025)))), "clientInfo/name", "1024");
    expect_too_long(open(initialize_with(info_of("n", R"(,"title":")" + text(1025) + '"'))),
                    "clientInfo/title", "1024");
    expect_too_long(open(initialize_with(R"({"name":"n","version":")" + text(1025) + R"("})")),
                    "clientInfo/version", "1024");
    auto const description = [&](std::size_t size) {
        auto const rest = info_of("n", R"(,"description":"")").size();
        return info_of("n", R"(,"description":")" + text(size - rest) + '"');
    };
    expect_fine(open(initialize_with(description(16'384))));
    expect_too_long(open(initialize_with(description(16'385))), "clientInfo", "16384");
    auto const capabilities = [&](std::size_t size) {
        std::string const rest = R"({"experimental":{"x":{"y":""}}})";
        return R"({"experimental":{"x":{"y":")" + text(size - rest.size()) + R"("}}})";
    };
    expect_fine(open(initialize_with(info_of("n"), capabilities(16'384))));
    expect_too_long(open(initialize_with(info_of("n"), capabilities(16'385))), "capabilities",
                    "16384");
}

TEST_F(SizeLimitsTest, icons_of_a_client_that_are_too_large_are_not_kept) {
    auto const icons =
        R"(,"icons":[{"src":"data:image/png;base64,)" + std::string(100'000, 'A') + R"("}])";
    expect_fine(client.answer(initialize_with(info_of("n", icons))));
    client.send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    ASSERT_EQ(server.sessions().size(), 1U);
    EXPECT_EQ(server.sessions().front().client.name, "n");
    EXPECT_TRUE(server.sessions().front().client.icons.empty());
}

TEST_F(SizeLimitsTest, the_description_of_a_client_in_every_request_is_limited) {
    auto const call = [](std::string const& info) {
        return request("tools/call", R"("name":"echo","_meta":{)"
                                     R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                     R"("io.modelcontextprotocol/clientInfo":)" +
                                         info +
                                         R"(,"io.modelcontextprotocol/clientCapabilities":{}})");
    };
    expect_fine(client.answer(call(info_of(std::string(1024, 'n')))));
    expect_too_long(client.answer(call(info_of(std::string(1025, 'n')))), "clientInfo/name",
                    "1024");
    expect_too_long(client.answer(call(info_of(std::string(1'000'000, 'n')))), "clientInfo/name",
                    "1024");
}

TEST_F(SizeLimitsTest, ids_and_progress_tokens_are_refused_beyond_the_limit) {
    client.initialize();
    auto const call = [](std::string const& id, std::string const& token) {
        return R"({"jsonrpc":"2.0","id":")" + id +
               R"(","method":"tools/call","params":{"name":"echo","_meta":{"progressToken":")" +
               token + R"("}}})";
    };
    std::string const longest(1022, 'i');
    EXPECT_EQ(at(client.answer(call(longest, longest)), "error"), nullptr);
    auto const id = client.answer(call(longest + 'i', "t"));
    EXPECT_EQ(at(id, "error", "code"), -32600);
    auto const says = [](Json const& answer, std::string_view text) {
        std::string const message(at(answer, "error", "message").as_string());
        return message.find(text) != message.npos;
    };
    EXPECT_TRUE(says(id, "id must not be longer than 1024 bytes"));
    auto const token = client.answer(call("i", longest + 'i'));
    EXPECT_EQ(at(token, "error", "code"), -32600);
    EXPECT_EQ(at(token, "id"), "i");
    EXPECT_TRUE(says(token, "params._meta.progressToken must not be longer than 1024 bytes"));
    EXPECT_EQ(server.sessions().front().violations, 2U);
}

class OtherSizeLimitsTest : public SizeLimitsTest {
protected:
    OtherSizeLimitsTest()
        : SizeLimitsTest(ServerOptions().max_uri_bytes(100).max_client_info_bytes(200)) {}
};

TEST_F(OtherSizeLimitsTest, the_length_of_a_uri_can_be_configured) {
    client.initialize();
    expect_fine(client.answer(subscribe(uri_of(100))));
    expect_too_long(client.answer(subscribe(uri_of(101))), "uri", "100");
    expect_too_long(client.answer(request("resources/read", R"("uri":")" + uri_of(101) + R"(")")),
                    "uri", "100");
}

TEST_F(OtherSizeLimitsTest, the_size_of_the_description_of_a_client_can_be_configured) {
    auto const description = [](std::size_t size) {
        auto const rest = info_of("n", R"(,"description":"")").size();
        return info_of("n", R"(,"description":")" + std::string(size - rest, 'd') + '"');
    };
    expect_too_long(client.answer(initialize_with(description(201))), "clientInfo", "200");
    auto const capabilities = R"({"experimental":{"x":{"y":")" + std::string(200, 'c') + R"("}}})";
    expect_too_long(client.answer(initialize_with(info_of("n"), capabilities)), "capabilities",
                    "200");
    expect_fine(client.answer(initialize_with(description(200))));
}

class SubscriptionBytesTest : public SizeLimitsTest {
protected:
    // Ten URIs of 1,000 bytes for each client, and fifteen for all clients together.
    SubscriptionBytesTest()
        : SizeLimitsTest(ServerOptions().max_subscription_bytes(10'640, 15'960)) {}

    std::string uri(int number) const {
        return uri_of(990) + std::to_string(1'000'000'000 + number);
    }
    bool takes(RawClient& from, int number) {
        auto const answer = from.answer(subscribe(uri(number)));
        auto const error = at(answer, "error");
        if (error != nullptr) {
            EXPECT_EQ(at(error, "code"), -32006);
        }
        return error == nullptr;
    }
    std::uint64_t refused() const { return server.limit_counts().subscriptions; }
};

TEST_F(SubscriptionBytesTest, the_bytes_of_a_clients_subscriptions_are_limited) {
    client.initialize();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(takes(client, i)) << i;
    EXPECT_TRUE(takes(client, 9)) << "it has this one";
    EXPECT_EQ(refused(), 0U);
    EXPECT_FALSE(takes(client, 10));
    EXPECT_EQ(refused(), 1U);
    client.answer(request("resources/unsubscribe", R"("uri":")" + uri(3) + R"(")"));
    EXPECT_TRUE(takes(client, 10));
    EXPECT_FALSE(takes(client, 3));
}

TEST_F(SubscriptionBytesTest, initializing_again_releases_the_bytes_of_a_client) {
    client.initialize();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(takes(client, i)) << i;
    client.initialize();
    for (int i = 10; i < 20; ++i) EXPECT_TRUE(takes(client, i)) << i;
    EXPECT_EQ(refused(), 0U);
    // The bytes are also subtracted from the total of all clients.
    RawClient second(context, server);
    second.initialize();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(takes(second, i)) << i;
    second.close();
    second.poll();
}

TEST_F(SubscriptionBytesTest, the_bytes_of_all_subscriptions_are_limited) {
    client.initialize();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(takes(client, i)) << i;
    RawClient second(context, server);
    second.initialize();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(takes(second, i)) << i;
    EXPECT_FALSE(takes(second, 5));
    // Streams count, too, and release their bytes when they end.
    RawClient modern(context, server);
    EXPECT_EQ(at(modern.ask(listen(uri(1))), "error", "code"), -32603);
    client.close();
    client.poll();
    EXPECT_TRUE(takes(second, 5));
    EXPECT_EQ(at(modern.ask(listen(uri(1))), "method"), "notifications/subscriptions/acknowledged");
    for (auto* const each : {&second, &modern}) {
        each->close();
        each->poll();
    }
    RawClient last(context, server);
    last.initialize();
    EXPECT_EQ(refused(), 2U);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(at(last.answer(subscribe(uri(i))), "error"), nullptr) << i;
    }
    last.close();
    last.poll();
}

}  // namespace
}  // namespace lanyard::server

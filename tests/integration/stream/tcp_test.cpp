// Servers and clients over TCP.
#include <gmock/gmock.h>

#include "integration/http/raw_client.hpp"
#include "lanyard/transport/together.hpp"
#include "stream_server.hpp"

namespace lanyard::stream_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char const* anywhere = "tcp://127.0.0.1:0";

constexpr char const* initialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"raw","version":"1"}}})"
    "\n";

constexpr char const* confirm = R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                                "\n";

TEST(Tcp, carries_calls_in_both_eras) {
    StreamServer server(anywhere);
    EXPECT_EQ(server.url(), "tcp://127.0.0.1:" + std::to_string(server.listener().port()));
    for (auto const version : {Version::v2025_11_25, Version::v2026_07_28}) {
        ClientOptions options;
        options.versions({version});
        auto const client = connect(server.url(), options);
        EXPECT_EQ(client.version(), version);
        EXPECT_EQ(echo(client, "hello"), "hello");
        EXPECT_EQ(client.call<std::string>("who"), " by tcp");
    }
}

TEST(Tcp, detects_the_era) {
    StreamServer server(anywhere);
    auto const client = connect(server.url());
    EXPECT_EQ(client.version(), newest_version);
}

TEST(Tcp, localhost_means_both_addresses) {
    StreamServer server("tcp://localhost:0");
    auto const port = std::to_string(server.listener().port());
    EXPECT_EQ(echo(connect("tcp://127.0.0.1:" + port), "four"), "four");
    EXPECT_EQ(echo(connect("tcp://localhost:" + port), "any"), "any");
}

TEST(Tcp, reports_why_it_cannot_connect) {
    std::uint16_t port = 0;
    {
        auto const gone = listen(anywhere, StreamServerOptions());
        port = gone->port();
    }
    auto const url = "tcp://127.0.0.1:" + std::to_string(port);
    auto const refused = connect_error(url);
    EXPECT_TRUE(refused.is(Errc::unavailable));
    EXPECT_THAT(refused.message(), HasSubstr("127.0.0.1:" + std::to_string(port)));
    EXPECT_TRUE(connect_error("tcp://127.0.0.1").is(Errc::invalid_argument));
    EXPECT_TRUE(connect_error("tcp://no-such-host.invalid:1").is(Errc::unavailable));
    StreamClientOptions stream;
    stream.bearer_token("two\nlines");
    EXPECT_TRUE(connect_error(url, stream).is(Errc::invalid_argument));
}

TEST(Tcp, reports_why_it_cannot_listen) {
    auto const first = listen(anywhere, StreamServerOptions());
    try {
        listen(first->url(), StreamServerOptions())->port();
        ADD_FAILURE() << "the port is taken";
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::unavailable));
        EXPECT_THAT(error.message(), HasSubstr("127.0.0.1"));
    }
    EXPECT_THROW(listen("tcp://127.0.0.1", StreamServerOptions())->port(), Error);
    EXPECT_THROW(listen("udp://127.0.0.1:1", StreamServerOptions())->port(), Error);
    EXPECT_THROW(listen(anywhere, StreamServerOptions().threads(0))->port(), Error);
}

TEST(Tcp, a_listener_that_is_not_open_has_no_address) {
    auto const first = listen(anywhere, StreamServerOptions());
    auto const second = listen(first->url(), StreamServerOptions());
    EXPECT_THROW(second->url(), Error);
    EXPECT_THROW(second->port(), Error);
    EXPECT_THROW(second->reload(), Error);
    EXPECT_THROW(second->reload_tls(), Error);
    EXPECT_EQ(second->describe(), first->url());
    EXPECT_EQ(second->stats().accepted, 0U);
}

TEST(TcpDeathTest, run_prints_why_it_cannot_listen_and_returns_1) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto const first = listen(anywhere, StreamServerOptions());
    Server server("test", "1");
    EXPECT_EXIT(std::exit(server.run(listen(first->url(), StreamServerOptions()))),
                ::testing::ExitedWithCode(1), "error: .*127.0.0.1.*already in use");
    EXPECT_EXIT(std::exit(server.run(listen("tcp://0.0.0.0:0", StreamServerOptions()))),
                ::testing::ExitedWithCode(1), "error: .*allow_public");
}

// The listener that is open ends as well.
TEST(TcpDeathTest, run_of_several_listeners_prints_why_one_cannot_listen) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto const first = listen(anywhere, StreamServerOptions());
    std::vector<std::unique_ptr<Listener>> listeners;
    listeners.push_back(listen(anywhere, StreamServerOptions()));
    listeners.push_back(listen(first->url(), StreamServerOptions()));
    Server server("test", "1");
    EXPECT_EXIT(std::exit(server.run(together(std::move(listeners)))), ::testing::ExitedWithCode(1),
                "error: .*already in use");
}

TEST(Tcp, refuses_a_public_address_without_authentication) {
    for (auto const* const url : {"tcp://0.0.0.0:0", "tcp://[::]:0"}) {
        try {
            listen(url, StreamServerOptions())->port();
            ADD_FAILURE() << url;
        } catch (Error const& error) {
            EXPECT_TRUE(error.is(Errc::invalid_argument));
            EXPECT_THAT(error.message(), HasSubstr("allow_public()"));
        }
    }
    EXPECT_NE(listen("tcp://0.0.0.0:0", StreamServerOptions().allow_public())->port(), 0);
    auto const keys = bearer_tokens({BearerToken("key").subject("ada")});
    EXPECT_NE(listen("tcp://0.0.0.0:0", StreamServerOptions().verifier(keys))->port(), 0);
}

TEST(Tcp, connections_beyond_the_limit_get_an_error_and_are_counted) {
    StreamServer server(anywhere, StreamServerOptions().max_connections(2));
    auto first = std::make_optional(connect(server.url()));
    auto const second = connect(server.url());
    EXPECT_EQ(server.listener().stats().turned_away, 0U);
    test::RawClient raw(server.listener().port());
    raw.send(initialize);
    EXPECT_THAT(raw.read_to_end(),
                StartsWith(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,)"));
    EXPECT_EQ(server.listener().stats().open, 2U);
    EXPECT_EQ(server.listener().stats().turned_away, 1U);
    EXPECT_EQ(server.listener().stats().accepted, 3U);
    auto const refused = connect_error(server.url());
    EXPECT_TRUE(refused.is(Errc::transport_down));
    EXPECT_THAT(refused.message(), HasSubstr("the server has too many connections"));
    EXPECT_EQ(echo(second, "still here"), "still here");
    first.reset();
    EXPECT_TRUE(eventually([&] { return server.listener().stats().open == 1; }));
    EXPECT_EQ(echo(connect(server.url()), "in again"), "in again");
}

TEST(Tcp, a_connection_that_has_ended_does_not_count_for_the_limit) {
    StreamServer server(anywhere, StreamServerOptions().max_connections(1));
    auto const is_free = [&] { return server.listener().stats().open == 0; };
    for (int i = 0; i < 3; ++i) {
        {
            test::RawClient raw(server.listener().port());
            if (i > 0) raw.send(initialize);
            EXPECT_TRUE(eventually([&] { return server.listener().stats().open == 1; }));
            if (i > 1) raw.reset();
        }
        EXPECT_TRUE(eventually(is_free)) << i;
    }
    EXPECT_EQ(server.listener().stats().turned_away, 0U);
}

TEST(Tcp, a_message_may_be_as_long_as_the_limit) {
    StreamServer server(anywhere,
                        StreamServerOptions().socket(SocketOptions().max_message_bytes(1000)));
    for (std::size_t const size : {999U, 1000U, 1001U}) {
        test::RawClient raw(server.listener().port());
        std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":")";
        ping.append(size - ping.size() - 4, 'x').append("\"}}}");
        ASSERT_EQ(ping.size(), size);
        raw.send(ping + "\n");
        auto const answer = raw.read_until("\n");
        auto const sessions = server.server().sessions();
        ASSERT_EQ(sessions.size(), 1U);
        EXPECT_EQ(sessions.front().violations, size <= 1000 ? 0U : 1U);
        raw.close();
        EXPECT_TRUE(eventually([&] { return server.server().sessions().empty(); }));
        if (size <= 1000) {
            EXPECT_EQ(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
        } else {
            EXPECT_THAT(answer, HasSubstr("-32012"));
        }
    }
}

TEST(Tcp, an_unfinished_line_at_the_end_of_a_connection_is_no_message) {
    StreamServer server(anywhere);
    std::atomic<int> calls = 0;
    server.server().tool(
        "count", "Counts its calls", [&calls] { ++calls; }, ToolOptions().inline_());
    std::string const call =
        R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count"}})";
    for (int i = 1; i <= 2; ++i) {
        test::RawClient raw(server.listener().port());
        raw.send(std::string(initialize) + confirm + call + "\n" + call);
        raw.read_until("\"id\":2");
        if (i == 1) {
            raw.close();
        } else {
            raw.half_close();
            EXPECT_TRUE(raw.ends());
        }
        EXPECT_TRUE(eventually([&] { return server.server().sessions().empty(); }));
        EXPECT_EQ(calls, i);
    }
}

TEST(Tcp, the_limit_of_a_message_may_be_raised_above_the_default) {
    StreamServer server(
        anywhere, StreamServerOptions().socket(SocketOptions().max_message_bytes(20'000'000)));
    test::RawClient raw(server.listener().port());
    std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":")";
    ping.append(18'000'000, 'x').append("\"}}}\n");
    raw.send(ping);
    EXPECT_EQ(raw.read_until("\n"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

TEST(Tcp, a_client_needs_a_token_that_the_verifier_accepts) {
    auto const keys = bearer_tokens({BearerToken("s3cret").subject("ada")});
    StreamServer server(anywhere, StreamServerOptions().verifier(keys));
    StreamClientOptions stream;
    stream.bearer_token("s3cret");
    for (auto const version : {Version::v2025_11_25, Version::v2026_07_28}) {
        ClientOptions options;
        options.versions({version});
        auto const client = connect(server.url(), options, stream);
        EXPECT_EQ(client.call<std::string>("who"), "ada by tcp");
    }
    auto const nobody = connect_error(server.url());
    EXPECT_TRUE(nobody.is(Errc::unauthorized));
    EXPECT_THAT(nobody.message(), HasSubstr("the server does not know this client"));
    stream.bearer_token("guessed");
    auto const guessed = connect_error(server.url(), stream);
    EXPECT_THAT(guessed.message(), HasSubstr("the server does not know this client"));
    EXPECT_TRUE(guessed.is(Errc::unauthorized));
    EXPECT_EQ(server.listener().stats().unauthorized, 2U);
    // If the first attempt is unauthorized, detecting the era makes no second one.
    EXPECT_THROW(connect(server.url(), {}, stream), Error);
    EXPECT_EQ(server.listener().stats().unauthorized, 3U);
    EXPECT_TRUE(eventually([&] { return server.listener().stats().open == 0; }));
}

TEST(Tcp, a_token_without_a_verifier_is_ignored) {
    StreamServer server(anywhere);
    StreamClientOptions stream;
    stream.bearer_token("s3cret");
    auto const client = connect(server.url(), ClientOptions(), stream);
    EXPECT_EQ(client.call<std::string>("who"), " by tcp");
}

TEST(Tcp, pending_calls_are_answered_before_the_server_ends) {
    StreamServer server(anywhere);
    auto const client = connect(server.url());
    auto called = std::async(std::launch::async, [&] { return client.call<std::string>("wait"); });
    server.await_waiting(1);
    server.server().stop(std::chrono::seconds(60));
    // The listener accepts no more connections.
    EXPECT_TRUE(eventually([&] {
        test::RawClient late(server.listener().port());
        return !late.connected();
    }));
    server.open_gate();
    EXPECT_EQ(called.get(), "waited");
    server.await_end();
    EXPECT_EQ(server.listener().stats().open, 0U);
}

TEST(Tcp, calls_that_outlast_the_grace_are_cut) {
    StreamServer server(anywhere);
    auto const client = connect(server.url());
    auto called = std::async(std::launch::async, [&] { return client.call<std::string>("wait"); });
    server.await_waiting(1);
    server.server().stop(std::chrono::milliseconds(1));
    EXPECT_THROW(called.get(), Error);
    server.open_gate();
    server.await_end();
}

TEST(Tcp, a_listener_that_stops_closes_its_connections) {
    StreamServer server(anywhere, StreamServerOptions().shutdown_timeout(Duration(0)));
    auto const client = connect(server.url());
    server.listener().stop();
    server.listener().stop();
    server.await_end();
    EXPECT_THROW(echo(client, "anybody?"), Error);
}

TEST(Tcp, several_threads_serve_at_the_same_time) {
    StreamServer server(anywhere, StreamServerOptions().threads(3));
    constexpr int clients = 24;
    std::vector<std::future<void>> talks;
    for (int i = 0; i < clients; ++i) {
        talks.push_back(std::async(std::launch::async, [&server, i] {
            ClientOptions options;
            if (i % 2 == 0) options.versions({Version::v2025_11_25});
            auto const client = connect(server.url(), options);
            for (int n = 0; n < 20; ++n) {
                auto const text = std::to_string(i) + "." + std::to_string(n);
                EXPECT_EQ(echo(client, text), text);
            }
        }));
    }
    // Changes of the tools reach all clients.
    for (int n = 0; n < 10; ++n) {
        server.server().tool("extra", "Comes and goes", [] { return "here"; });
        server.server().remove_tool("extra");
        EXPECT_LE(server.server().sessions().size(), std::size_t{clients});
    }
    for (auto& talk : talks) talk.get();
    EXPECT_TRUE(eventually([&] { return server.listener().stats().open == 0; }));
    EXPECT_EQ(server.listener().stats().accepted, std::uint64_t{clients});
}

TEST(Tcp, the_limit_holds_for_all_threads_together) {
    StreamServer server(anywhere, StreamServerOptions().threads(2).max_connections(4));
    std::vector<blocking::Client> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(connect(server.url()));
    EXPECT_THAT(connect_error(server.url()).message(), HasSubstr("too many connections"));
    EXPECT_EQ(server.listener().stats().open, 4U);
}

TEST(Tcp, runs_only_once_and_not_after_stop) {
    Server server("once", "1");
    boost::asio::io_context context;
    auto const listener = listen(anywhere, StreamServerOptions());
    auto const stopped = listen(anywhere, StreamServerOptions());
    stopped->stop();
    int ended = 0;
    std::string failure;
    auto const note = [&](std::exception_ptr thrown) {
        ++ended;
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (Error const& error) {
            failure = error.message();
        }
    };
    boost::asio::co_spawn(context, server.run_async(*stopped), note);
    context.poll();
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(failure, "");
    boost::asio::co_spawn(context, server.run_async(*listener), note);
    boost::asio::co_spawn(context, server.run_async(*listener), note);
    context.restart();
    context.poll();
    EXPECT_EQ(ended, 2);
    EXPECT_THAT(failure, HasSubstr("is served already"));
    listener->stop();
    context.restart();
    context.run();
    EXPECT_EQ(ended, 3);
}

TEST(Tcp, can_be_destroyed_while_it_serves) {
    for (std::size_t const threads : {1U, 2U}) {
        Server server("gone", "1");
        auto context = std::make_unique<boost::asio::io_context>();
        auto const listener = listen(anywhere, StreamServerOptions().threads(threads));
        boost::asio::co_spawn(*context, server.run_async(*listener), [](std::exception_ptr) {});
        test::RawClient raw(listener->port());
        raw.send(initialize);
        context->poll();
        if (threads > 1) {
            EXPECT_TRUE(eventually([&] { return listener->stats().open == 1; }));
        }
        context.reset();
        EXPECT_EQ(listener->stats().open, 0U);
    }
}

}  // namespace
}  // namespace lanyard::stream_test

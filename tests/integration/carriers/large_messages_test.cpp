// Messages above the default limits, in both directions: they are refused by default and pass if
// the options of the client and the server permit them.
#include <gtest/gtest.h>

#include "lanyard/client.hpp"
#include "lanyard/server.hpp"
#include "support/over_carriers.hpp"

namespace lanyard {

struct LargeText {
    std::string text;
};
LANYARD_STRUCT(LargeText, text)

namespace {

constexpr std::size_t large = 18'000'000;
constexpr std::size_t raised = 20'000'000;

class LargeMessages : public test::OverCarriers {
protected:
    LargeMessages() {
        auto const unlimited = ToolOptions().max_result_bytes(raised);
        server_.tool("measure", "Returns the size", [](LargeText in) { return in.text.size(); });
        server_.tool("answer", "Returns much", [] { return std::string(large, 'a'); }, unlimited);
        // Over HTTP, the message makes the server answer with an event stream.
        auto const on_stream = [](Context& context) -> Task<std::string> {
            context.log(LoggingLevel::info, "soon");
            co_await context.yield();
            co_return std::string(large, 'e');
        };
        server_.tool("event", "Logs, then returns much", on_stream, unlimited);
        carrier_.start(server_);
    }

    static std::unique_ptr<UrlListener> make_listener(std::string const& url) {
        if (name() == "tcp") {
            return listen(url,
                          StreamServerOptions().socket(SocketOptions().max_message_bytes(raised)));
        }
        auto const socket = WebSocketOptions().max_message_bytes(raised);
        auto options = HttpServerOptions().mcp(McpHttpOptions().websocket(socket));
        return listen(url, options.max_body_bytes(raised).max_unsent_bytes(raised));
    }

    std::unique_ptr<Connector> connector(std::string const& url) const {
        if (name() == "tcp") {
            StreamClientOptions options;
            if (raises_) options.socket(SocketOptions().max_message_bytes(raised));
            return stream_connector(url, options);
        }
        HttpClientOptions options;
        if (raises_) {
            options.max_response_bytes(raised).max_event_bytes(raised);
            options.websocket(WebSocketOptions().max_message_bytes(raised));
        }
        if (name() == "http") return http_connector(url, options);
        return http_connector("ws" + url.substr(url.find("://")) + "/ws", options);
    }

    Task<Client> connect(bool raises) {
        raises_ = raises;
        ClientOptions options;
        options.on_log([](LoggingMessageParams const&) {}).reconnect(ReconnectOptions::off());
        if (raises) options.max_params_bytes(raised);
        return carrier_.connect(era(), options);
    }

    Task<> pass() {
        auto const client = co_await connect(true);
        LargeText const text{std::string(large, 'p')};
        auto const size = co_await client.call<std::size_t>("measure", text);
        EXPECT_EQ(size, large);
        auto const answer = co_await client.call<std::string>("answer");
        EXPECT_EQ(answer.size(), large);
        auto const event = co_await client.call<std::string>("event");
        EXPECT_EQ(event.size(), large);
        co_await client.stop();
    }

    Task<> fail() {
        for (std::string const tool : {"measure", "answer", "event"}) {
            auto const client = co_await connect(false);
            LargeText const text{std::string(large, 'p')};
            auto const arguments = tool == "measure" ? to_raw_json(text) : RawJson();
            std::optional<Error> failure;
            try {
                co_await client.call_tool(tool, arguments);
            } catch (Error const& error) {
                failure = error;
            }
            EXPECT_TRUE(failure) << tool;
            if (failure && (tool == "measure" || name() == "http")) {
                EXPECT_TRUE(failure->is(Errc::too_large)) << tool << ": " << failure->what();
            }
            co_await client.stop();
        }
    }

    bool raises_ = false;
    Server server_{"large", "1"};
    test::ListenerCarrier carrier_{name() == "tcp" ? "tcp://127.0.0.1:0" : "http://127.0.0.1:0/mcp",
                                   &make_listener,
                                   [this](std::string const& url) { return connector(url); }};
};

TEST_P(LargeMessages, pass_if_the_limits_are_raised) {
    test::run_task(context_, pass(), std::chrono::seconds(120));
}

TEST_P(LargeMessages, are_refused_by_default) {
    test::run_task(context_, fail(), std::chrono::seconds(120));
}

INSTANTIATE_TEST_SUITE_P(Carriers, LargeMessages,
                         ::testing::Combine(::testing::Values("tcp", "http", "websocket"),
                                            ::testing::Values(Era::legacy, Era::modern)),
                         test::carrier_and_era);

}  // namespace
}  // namespace lanyard

// A server that stops and is started again at the same address: the client reconnects by itself and
// restores its roots, subscriptions and log level.
#include "lanyard/reflect.hpp"
#include "support/over_carriers.hpp"

namespace lanyard {
namespace {

using namespace std::chrono_literals;

constexpr char const* news = "test://news";

std::unique_ptr<Server> make_server() {
    auto made = std::make_unique<Server>("comeback", "1");
    auto& server = *made;
    server.resource(news, "news", "none");
    // The server outlives its handlers.
    server.tool("touch", "Says that there are news", [&server] {
        server.resource_updated(news);
        return "told";
    });
    server.tool("speak", "Logs quietly and loudly", [](Context& context) {
        context.log(LoggingLevel::info, Json("quiet"));
        context.log(LoggingLevel::error, Json("loud"));
        return "spoken";
    });
    server.tool("folders", "Asks for the client's folders",
                [](Context& context) -> Task<std::string> {
                    auto const roots = co_await context.list_roots();
                    co_return roots.size() == 1 ? roots.front().uri : std::to_string(roots.size());
                });
    return made;
}

Root root(std::string uri) {
    Root made;
    made.uri = std::move(uri);
    return made;
}

class Comeback : public test::OverCarriers {
protected:
    Comeback() {
        for (auto const& kind : test::listener_kinds(files())) {
            if (kind.name == name()) carrier_ = kind.make();
        }
        come();
    }
    void come() {
        server_ = make_server();
        carrier_->start(*server_);
    }
    void go() {
        // No grace period: the client runs on this thread and cannot close its connection
        // meanwhile.
        server_->stop(Duration(0));
        carrier_->stop();
        server_.reset();
    }

    ClientOptions options() {
        ClientOptions options;
        options.reconnect(ReconnectOptions().interval(10ms, 10ms));
        options.roots({root("file:///before")});
        options.on_resource_updated([this](std::string const&) { ++updates_; });
        options.on_log([this](LoggingMessageParams const& message) {
            ++(message.data == "loud" ? loud_ : quiet_);
        });
        return options;
    }

    /// Calls the tool until it succeeds: over HTTP only a call shows that the server is back.
    static Task<std::string> call(Client const& client, std::string tool) {
        auto const options = CallOptions().wait_until_ready(true);
        for (;;) {
            try {
                auto const result = co_await client.call_tool(tool, RawJson(), options);
                auto const* const text = std::get_if<TextContent>(&result.content.at(0));
                if (!result.is_error && text != nullptr) co_return text->text;
            } catch (Error const& error) {
                bool const away = error.is(Errc::unavailable) || error.is(Errc::transport_down);
                if (!away) throw;
            }
        }
    }
    /// Completes when the client has received an update of the resource and a "loud" log message.
    Task<> is_told(Client const& client) {
        updates_ = loud_ = quiet_ = 0;
        while (updates_ == 0) co_await call(client, "touch");
        while (loud_ == 0) co_await call(client, "speak");
        EXPECT_EQ(quiet_, 0);
    }

    Task<> talk() {
        auto const client = co_await carrier_->connect(era(), options());
        co_await client.subscribe(news);
        co_await client.set_log_level(LoggingLevel::warning);
        co_await is_told(client);
        auto const before = co_await call(client, "folders");
        EXPECT_EQ(before, "file:///before");
        std::vector<Root> const after = {root("file:///after")};
        co_await client.set_roots(after);

        for (int again = 0; again < 2; ++again) {
            go();
            bool failed = false;
            try {
                co_await client.call_tool("speak");
            } catch (Error const&) {
                failed = true;
            }
            EXPECT_TRUE(failed);
            come();
            auto const folders = co_await call(client, "folders");
            EXPECT_EQ(folders, "file:///after");
            co_await is_told(client);
        }
        co_await client.stop();
    }

    std::unique_ptr<Server> server_;
    std::unique_ptr<test::ListenerCarrier> carrier_;
    int updates_ = 0;
    int loud_ = 0;
    int quiet_ = 0;
};

TEST_P(Comeback, subscriptions_log_level_and_roots_are_restored) {
    test::run_task(context_, talk());
}

INSTANTIATE_TEST_SUITE_P(Carriers, Comeback,
                         ::testing::Combine(::testing::Values("tcp", "unix", "tls", "http",
                                                              "websocket"),
                                            ::testing::Values(Era::legacy, Era::modern)),
                         test::carrier_and_era);

}  // namespace
}  // namespace lanyard

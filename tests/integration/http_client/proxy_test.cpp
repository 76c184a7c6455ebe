// A proxy of a server that is reached over HTTP.
#include <algorithm>
#include <atomic>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http_client/client_harness.hpp"
#include "lanyard/http/listen.hpp"
#include "lanyard/proxy.hpp"
#include "lanyard/server.hpp"
#include "lanyard/testing/connect.hpp"

namespace lanyard::http_client_test {
namespace {

using ::testing::ElementsAre;

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, name)

struct Revisions {
    Version client;
    Version upstream;
};

class HttpProxy : public HttpClientTest, public ::testing::WithParamInterface<Revisions> {
protected:
    HttpProxy() : upstream_("upstream", "1"), server_("proxy", "1") {
        upstream_.tool("greet", "Asks who it is", [this](Context& asked) -> Task<std::string> {
            auto const count = [this] { return ++calls_; };
            co_await asked.once("count", count);
            auto const answer = co_await asked.elicit<Name>("who", "Who are you?");
            co_return "Hello, " + (answer ? answer->name : std::string("nobody"));
        });
        listener_ = listen("http://127.0.0.1:0/mcp");
        boost::asio::co_spawn(serving_, upstream_.run_async(*listener_), [](std::exception_ptr) {});
        thread_ = std::thread([this] { serving_.run(); });
        ClientOptions options;
        options.versions({GetParam().upstream}).declare_questions(true);
        connect("http://127.0.0.1:" + std::to_string(listener_->port()) + "/mcp", options);
        server_.add_provider(proxy_provider(client));
    }
    ~HttpProxy() override {
        stop();
        listener_->stop();
        thread_.join();
    }

    Server upstream_;
    std::unique_ptr<UrlListener> listener_;
    boost::asio::io_context serving_;
    std::thread thread_;
    Server server_;
    std::atomic<int> calls_ = 0;
};

TEST_P(HttpProxy, questions_go_to_the_client_whose_call_caused_them) {
    std::size_t asked = 0;
    std::vector<std::string> greetings;
    std::vector<Client> clients;
    for (auto const* const name : {"Grace", "Joan"}) {
        ClientOptions options;
        options.on_elicitation([&asked, name](ElicitFormParams) -> Task<ElicitResult> {
            ++asked;
            // Both calls wait for an answer at the same time.
            while (asked < 2) co_await boost::asio::post(boost::asio::use_awaitable);
            ElicitResult result;
            result.action = ElicitAction::accept;
            result.content = JsonObject{{"name", name}};
            co_return result;
        });
        clients.push_back(await(testing::connect(server_, GetParam().client, options)));
    }
    for (auto const& each : clients) {
        boost::asio::co_spawn(context, each.call<std::string>("greet"),
                              [&](std::exception_ptr failure, std::string greeting) {
                                  EXPECT_FALSE(failure);
                                  greetings.push_back(std::move(greeting));
                              });
    }
    EXPECT_TRUE(run_until([&] { return greetings.size() == 2; }));
    std::ranges::sort(greetings);
    EXPECT_THAT(greetings, ElementsAre("Hello, Grace", "Hello, Joan"));
    EXPECT_EQ(calls_, 2);
}

INSTANTIATE_TEST_SUITE_P(Revisions, HttpProxy,
                         ::testing::Values(Revisions{Version::v2025_11_25, Version::v2025_11_25},
                                           Revisions{Version::v2025_11_25, Version::v2026_07_28},
                                           Revisions{Version::v2026_07_28, Version::v2025_11_25},
                                           Revisions{Version::v2026_07_28, Version::v2026_07_28}));

}  // namespace
}  // namespace lanyard::http_client_test

// User code that has blocked a loop once does not run on it again.
#include "blocked_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lanyard {
namespace {

constexpr int calls = 20;

class HandOver : public BlockedServer {
protected:
    using Request = std::function<void(blocking::Client& client, int index)>;

    // Makes calls, each of which blocks in the same user code. Expects that only the first one
    // blocks the loop.
    void expect_one(Request const& request) {
        start();
        // One client would have too few connections for all requests at a time.
        std::vector<blocking::Client> clients;
        for (int i = 0; i < 4; ++i) clients.push_back(client());
        observe_loop(clients.front());
        std::vector<std::future<void>> all;
        auto const call = [&] {
            auto const index = static_cast<int>(all.size());
            auto& sleeper = clients[all.size() % clients.size()];
            all.push_back(std::async(std::launch::async, request, std::ref(sleeper), index));
        };
        call();
        ASSERT_TRUE(wait_until_blocked());
        // Once this call is answered, another thread has taken the loop over.
        EXPECT_EQ(clients.front().call<std::string>("quick"), "quick");
        gate_->on_loop = 0;
        while (all.size() < calls) call();
        EXPECT_TRUE(wait_until_blocked(calls));
        EXPECT_EQ(gate_->on_loop, 0);
        gate_->open = true;
        for (auto& one : all) one.get();
    }
    void expect_one(std::string const& tool) {
        expect_one([tool](blocking::Client& client, int) {
            EXPECT_EQ(client.call<std::string>(tool, nap(blocked_for)), "slept");
        });
    }
    // Adds tools that differ in their names and do not block, and calls them.
    void expect_one_of_many_tools() {
        for (int i = 0; i < calls; ++i) {
            server_->tool("many" + std::to_string(i), "Does not block",
                          [] { return std::string("done"); });
        }
        expect_one([](blocking::Client& client, int index) {
            EXPECT_EQ(client.call<std::string>("many" + std::to_string(index)), "done");
        });
    }
    void pass_filter() {
        server_->filter([](FeatureKind, std::string_view, Context&) { return true; });
    }
    void pass_middleware() {
        server_->use([](Context&, Next next) -> Task<RawJson> { co_return co_await next(); });
    }
    // A function that blocks in user code.
    auto block() const {
        return [gate = gate_] { gate->block(nap(blocked_for)); };
    }
};

TEST_P(HandOver, happens_once_for_a_coroutine) {
    expect_one("doze");
}

TEST_P(HandOver, happens_once_for_a_coroutine_that_filters_precede) {
    pass_filter();
    expect_one("doze");
}

TEST_P(HandOver, happens_once_for_a_coroutine_within_middleware) {
    pass_middleware();
    expect_one("doze");
}

TEST_P(HandOver, happens_once_for_a_coroutine_within_middleware_that_filters_precede) {
    pass_middleware();
    pass_filter();
    expect_one("doze");
}

TEST_P(HandOver, happens_once_for_the_filters_of_all_tools) {
    server_->filter([block = block()](FeatureKind, std::string_view name, Context& context) {
        if (name.starts_with("many") && context.target() == name) block();
        return true;
    });
    expect_one_of_many_tools();
}

TEST_P(HandOver, happens_once_for_the_middleware_around_all_tools) {
    server_->use([block = block()](Context& context, Next next) -> Task<RawJson> {
        if (context.target().starts_with("many")) block();
        co_return co_await next();
    });
    expect_one_of_many_tools();
}

TEST_P(HandOver, happens_once_for_middleware_that_blocks_after_the_handler) {
    server_->use([block = block()](Context& context, Next next) -> Task<RawJson> {
        auto result = co_await next();
        if (context.target().starts_with("many")) block();
        co_return result;
    });
    expect_one_of_many_tools();
}

TEST_P(HandOver, happens_once_for_the_filters_of_lists) {
    server_->filter([block = block()](FeatureKind, std::string_view name, Context& context) {
        if (name == "quick" && context.method() == "tools/list") block();
        return true;
    });
    expect_one([](blocking::Client& client, int) { EXPECT_GT(client.list_tools().size(), 1u); });
}

TEST_P(HandOver, happens_once_for_the_filters_of_subscriptions) {
    for (int i = 0; i < calls; ++i) {
        server_->resource("note:///" + std::to_string(i), "note", [] { return std::string(); });
    }
    server_->filter([block = block()](FeatureKind, std::string_view, Context& context) {
        auto const method = context.method();
        if (method == "resources/subscribe" || method == "subscriptions/listen") block();
        return true;
    });
    // A client of the newest revision combines its subscriptions, so each has a client of its own.
    expect_one([this](blocking::Client&, int index) {
        auto subscriber = client();
        subscriber.subscribe("note:///" + std::to_string(index));
    });
}

// Has all tools whose names begin with "many", which block.
class BlockingProvider final : public Provider {
public:
    explicit BlockingProvider(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

    Task<std::vector<Tool>> list_tools(Context&) override { co_return std::vector<Tool>(); }
    Task<std::optional<CallToolResult>> call_tool(CallToolParams const& params, Context&) override {
        if (!params.name.starts_with("many")) co_return std::nullopt;
        gate_->block(nap_time_);
        CallToolResult result;
        result.content.emplace_back(TextContent{.text = "slept"});
        co_return result;
    }

private:
    std::shared_ptr<Gate> gate_;
    Nap nap_time_{4'000};
};

TEST_P(HandOver, happens_once_for_providers) {
    server_->add_provider(std::make_shared<BlockingProvider>(gate_));
    expect_one([](blocking::Client& client, int index) {
        EXPECT_EQ(client.call<std::string>("many" + std::to_string(index)), "slept");
    });
}

INSTANTIATE_TEST_SUITE_P(Transports, HandOver, every_transport, transport_name);

// A client that writes several messages at once.
class Burst : public HandOver {
protected:
    ~Burst() override { close(socket_); }

    void connect() {
        auto const port = url_.substr(url_.rfind(':') + 1);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto const* const peer = reinterpret_cast<sockaddr const*>(&address);
        ASSERT_EQ(::connect(socket_, peer, sizeof address), 0);
        send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":)"
             R"("2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
             "\n");
        receive_lines(1);
        send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
             "\n");
    }
    void send(std::string const& text) const {
        EXPECT_EQ(::send(socket_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    void receive_lines(std::ptrdiff_t count) const {
        while (count > 0) {
            char buffer[4096];
            auto const got = recv(socket_, buffer, sizeof buffer, 0);
            ASSERT_GT(got, 0);
            count -= std::count(buffer, buffer + got, '\n');
        }
    }

private:
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
};

TEST_P(Burst, of_coroutines_blocks_the_loop_once) {
    constexpr int burst = 64;
    ServerOptions options;
    options.max_spare_threads(2 * burst);
    server_ = std::make_unique<Server>("loops", "1", options);
    server_->tool("doze", "Blocks in a coroutine", [gate = gate_]() -> Task<std::string> {
        gate->block(nap(blocked_for));
        co_return std::string("slept");
    });
    start();
    observe_loop(client());
    connect();
    std::string text;
    for (int i = 1; i <= burst; ++i) {
        text += R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                R"(,"method":"tools/call","params":{"name":"doze"}})" + "\n";
    }
    send(text);
    EXPECT_TRUE(wait_until_blocked(burst));
    EXPECT_LE(gate_->on_loop, 1);
    gate_->open = true;
    receive_lines(burst);
}

INSTANTIATE_TEST_SUITE_P(Transports, Burst, ::testing::Values("tcp"), transport_name);

}  // namespace
}  // namespace lanyard

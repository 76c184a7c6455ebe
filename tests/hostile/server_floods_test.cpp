// Servers that send endlessly and read nothing: the client's memory stays within limits, its
// timeouts work, and it can be stopped.
#include "hostile/hostile_case.hpp"

namespace lanyard::hostile {
namespace {

struct Flood {
    char const* name;
    char const* message;  ///< sent repeatedly once the client calls
};

// What a transport may store for a server that does not read, with a margin.
constexpr std::size_t memory_limit = 64 * mebibyte;

class Floods : public HostileCase,
               public ::testing::WithParamInterface<std::tuple<Carrier, Flood>> {};

TEST_P(Floods, are_bounded_in_memory_and_time) {
    auto const [carrier, flood] = GetParam();
    Behaviour behaviour;
    behaviour.accepts = false;
    std::string const message = flood.message;
    behaviour.on_message = [message](Heard const& heard, Out const& out) {
        if (answer_opening(heard, out)) return;
        out.flood(message);
    };
    HostileServer server(carrier, behaviour);
    ClientOptions options;
    options.roots({{.uri = "file:///" + std::string(10'000, 'x')}});
    options.on_log([](LoggingMessageParams const&) {});
    options.on_progress([](ProgressParams const&) {});
    connect(server, options);
    MemoryWatch const memory;
    auto const begin = Clock::now();
    auto const limit = is_long() ? 10s : 500ms;
    auto const listed = attempt(client.list_tools(CallOptions().timeout(limit).max_total(limit)));
    ASSERT_FALSE(listed);
    // Over HTTP, an error without an id on the stream of a request is the answer to that request.
    EXPECT_TRUE(listed.error().is(Errc::timeout) || listed.error().peer_code() == -1)
        << listed.error().what();
    EXPECT_LT(Clock::now() - begin, limit + 10s);
    expect_stop();
    memory.expect_below(memory_limit);
}

INSTANTIATE_TEST_SUITE_P(
    All, Floods,
    ::testing::Combine(
        ::testing::Values(Carrier::stdio, Carrier::tcp, Carrier::websocket, Carrier::http,
                          Carrier::http_with_sse),
        ::testing::Values(
            Flood{"pings", R"({"jsonrpc":"2.0","id":"p","method":"ping"})"}, Flood{"garbage", "x"},
            Flood{"requests_without_a_method", R"({"jsonrpc":"2.0","id":1})"},
            Flood{"roots", R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})"},
            Flood{"unknown_requests", R"({"jsonrpc":"2.0","id":"u","method":"no/such"})"},
            Flood{"log_messages",
                  R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                  R"({"level":"info","data":"0123456789012345678901234567890123456789"}})"},
            Flood{"progress", R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
                              R"({"progressToken":1,"progress":1}})"},
            Flood{"cancellations",
                  R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)"
                  R"({"requestId":99}})"},
            Flood{"answers_nobody_waits_for", R"({"jsonrpc":"2.0","id":99,"result":{}})"},
            Flood{"errors_without_an_id",
                  R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}})"})),
    [](auto const& info) {
        return name_of(std::get<0>(info.param)) + "_" + std::get<1>(info.param).name;
    });

class FirstWords : public EachCarrier {};

TEST_P(FirstWords, a_flood_before_the_handshake_does_not_keep_the_client_from_giving_up) {
    Behaviour behaviour;
    behaviour.accepts = false;
    behaviour.on_message = [](Heard const&, Out const& out) {
        out.flood(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
    };
    HostileServer server(GetParam(), behaviour);
    MemoryWatch const memory;
    auto const begin = Clock::now();
    ClientOptions options;
    options.initialization_timeout(500ms).probe_timeout(200ms);
    auto const opened = attempt(server.connect(context.get_executor(), options));
    EXPECT_FALSE(opened);
    EXPECT_LT(Clock::now() - begin, 15s);
    memory.expect_below(memory_limit);
}

TEST_P(FirstWords, a_server_that_sends_nothing_is_given_up_in_time) {
    Behaviour behaviour;
    behaviour.on_connection = [](Wire& wire) {
        while (wire.fill()) wire.buffer().clear();
    };
    HostileServer server(GetParam(), behaviour);
    ClientOptions options;
    options.initialization_timeout(300ms).probe_timeout(100ms);
    HttpClientOptions http;
    http.connect_timeout(300ms);
    auto const begin = Clock::now();
    auto const opened = attempt(server.connect(context.get_executor(), options, http));
    EXPECT_FALSE(opened);
    EXPECT_LT(Clock::now() - begin, 15s);
}

LANYARD_EACH_CARRIER(FirstWords);

// A server may send many requests before it reads the first answer.
class SlowServers : public EachCarrier {};

TEST_P(SlowServers, get_all_answers_once_they_read) {
    constexpr int questions = 5'000;
    Behaviour behaviour;
    behaviour.on_message = [](Heard const& heard, Out const& out) {
        static int answered = 0;
        static std::string list_id;
        if (answer_opening(heard, out)) return;
        if (heard.method == "tools/list") {
            list_id = heard.id;
            for (int i = 0; i < questions; ++i) {
                out.send(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                         R"(,"method":"no/such/method"})");
            }
        } else if (heard.method.empty() && ++answered == questions) {
            out.send(result_of(list_id, R"({"tools":[]})"));
        }
    };
    HostileServer server(GetParam(), behaviour);
    connect(server);
    auto const listed = attempt(client.list_tools(CallOptions().timeout(50s)));
    EXPECT_TRUE(listed) << listed.error().what();
    EXPECT_EQ(client.limit_counts().unread, 0U);
}

INSTANTIATE_TEST_SUITE_P(Carriers, SlowServers,
                         ::testing::Values(Carrier::stdio, Carrier::tcp, Carrier::websocket),
                         [](auto const& info) { return name_of(info.param); });

}  // namespace
}  // namespace lanyard::hostile

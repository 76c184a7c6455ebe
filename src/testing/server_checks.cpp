// The checks of validate_server(): what a client finds at a server it knows nothing about.
#include <array>
#include <set>

#include "lanyard/rpc/message.hpp"
#include "testing/talk.hpp"

namespace lanyard::testing::checks {

namespace {

using namespace std::chrono_literals;

std::string with_metadata(std::string_view members) {
    std::string params = "{";
    params.append(members);
    if (!members.empty()) params.push_back(',');
    return params.append(Talk::metadata).append("}");
}

Task<Talk> open_talk(Bench& bench) {
    auto link = co_await bench.open();
    co_return Talk(bench, std::move(link));
}

// A session; the check is skipped where the server has none. What the server offers comes back.
Task<JsonObject> open_session(Talk& talk) {
    auto const answer = co_await talk.ask("initialize", initialize_params);
    auto const* const result = answer.as_object().if_contains("result");
    if (result == nullptr) throw Skipped("the server opens no sessions");
    require(result->is_object(), "the result of initialize is no object");
    for (auto const* const name : {"protocolVersion", "capabilities", "serverInfo"}) {
        require(result->get_object().contains(name),
                "the result of initialize has no " + std::string(name));
    }
    auto const& capabilities = result->get_object().at("capabilities");
    require(capabilities.is_object(), "the server's capabilities are no object");
    co_await talk.say(std::string(initialized));
    co_return capabilities.get_object();
}

// Whether the server serves requests without a session.
Task<bool> stands_alone(Talk& talk) {
    auto const answer = co_await talk.ask("server/discover", with_metadata(""));
    co_return answer.as_object().contains("result");
}

// A connection on which requests with these params are answered: the method that is always there.
struct Greeting {
    std::string method;
    std::string params;
};

Task<Greeting> greet(Talk& talk) {
    Greeting greeting{"ping", "{}"};
    bool const alone = co_await stands_alone(talk);
    if (alone) {
        greeting.method = "server/discover";
        greeting.params = with_metadata("");
        co_return greeting;
    }
    co_await open_session(talk);
    co_return greeting;
}

Task<> opens(Bench& bench) {
    auto const begin = real_time().now();
    co_await bench.open();
    auto const took = std::chrono::duration<double>(real_time().now() - begin);
    require(took <= 5s, "opening took " + std::to_string(took.count()) + " s");
}

Task<> speaks_a_known_revision(Bench& bench) {
    auto talk = co_await open_talk(bench);
    bool const alone = co_await stands_alone(talk);
    if (alone) co_return;
    auto other = co_await open_talk(bench);
    co_await other.open_session();
}

Task<> opens_a_session(Bench& bench) {
    auto talk = co_await open_talk(bench);
    co_await open_session(talk);
    co_await talk.expect_result("ping");
}

Task<> refuses_before_initialization(Bench& bench) {
    auto talk = co_await open_talk(bench);
    if (talk.transport().speaks_http()) throw Skipped("HTTP has sessions of its own");
    auto probe = co_await open_talk(bench);
    co_await open_session(probe);
    co_await talk.expect_error("tools/list");
    co_await open_session(talk);
    co_await talk.expect_result("ping");
}

Task<> serves_requests_that_stand_alone(Bench& bench) {
    auto talk = co_await open_talk(bench);
    bool const alone = co_await stands_alone(talk);
    if (!alone) throw Skipped("the server needs a session");
    co_await talk.expect_error("no/such/method", with_metadata(""), rpc::code::method_not_found);
    co_await talk.expect_result("server/discover", with_metadata(""));
}

Task<> keeps_to_what_is_offered(Bench& bench) {
    auto talk = co_await open_talk(bench);
    auto const offered = co_await open_session(talk);
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> gated{
        {{"tools", "tools/list"},
         {"prompts", "prompts/list"},
         {"resources", "resources/list"},
         {"completions", "completion/complete"}}};
    bool any = false;
    for (auto const& [capability, method] : gated) {
        if (offered.contains(capability)) continue;
        any = true;
        co_await talk.expect_error(method);
    }
    if (!any) throw Skipped("the server offers everything");
    co_await talk.expect_result("ping");
}

Task<> keeps_messages_apart(Bench& bench) {
    auto talk = co_await open_talk(bench);
    auto const greeting = co_await greet(talk);
    constexpr int count = 100;
    std::set<std::string> open;
    rpc::Outbox outbox;
    for (int i = 0; i < count; ++i) {
        // Numbers and strings are different ids.
        auto const id = i % 2 == 0 ? std::to_string(1000 + i) : '"' + std::to_string(999 + i) + '"';
        open.insert(id);
        put(outbox, request_text(id, greeting.method, greeting.params));
    }
    co_await send(bench, talk.transport(), outbox);
    while (!open.empty()) {
        auto const answer = co_await talk.response("one of many requests");
        auto const* const id = answer.as_object().if_contains("id");
        require(id != nullptr, "an answer has no id");
        require(answer.as_object().contains("result"), "one of many requests was refused");
        require(open.erase(json::serialize(*id)) == 1,
                "an answer came twice, or its id was changed: " + json::serialize(*id));
    }
}

Task<> reports_info(Bench& bench) {
    auto talk = co_await open_talk(bench);
    co_await greet(talk);
    auto const info = talk.transport().info();
    require(!info.kind.empty(), "info() names no kind");
    require(info.messages_out > 0 && info.messages_in > 0, "info() counts no messages");
}

Task<> shapes_errors(Bench& bench) {
    auto talk = co_await open_talk(bench);
    auto const greeting = co_await greet(talk);
    co_await talk.expect_error("no/such/method", greeting.params, rpc::code::method_not_found);
    co_await talk.expect_result(greeting.method, greeting.params);
}

Task<> serves_on_after_garbage(Bench& bench) {
    auto talk = co_await open_talk(bench);
    if (talk.transport().speaks_http()) throw Skipped("HTTP carries messages only");
    auto const greeting = co_await greet(talk);
    for (auto const* const text : {"this is not JSON", R"({"jsonrpc":"2.0","id":1,"method":)",
                                   R"({"jsonrpc":"1.0","id":99,"method":"ping"})"}) {
        co_await talk.say(text);
        auto const answer = co_await talk.response("garbage");
        Talk::check_error(answer, text, std::nullopt);
        co_await talk.expect_result(greeting.method, greeting.params);
    }
}

Task<> serves_on_after_too_large(Bench& bench) {
    auto const limit = bench.promises.max_message_bytes();
    if (!limit) throw Skipped("no limit is promised");
    auto talk = co_await open_talk(bench);
    if (talk.transport().speaks_http()) throw Skipped("HTTP has its own answer to that");
    auto const greeting = co_await greet(talk);
    co_await talk.say(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"padding":")" +
                      std::string(*limit, 'p') + "\"}}");
    auto const answer = co_await talk.response("a message beyond the limit");
    Talk::check_error(answer, "a message beyond the limit", std::nullopt);
    co_await talk.expect_result(greeting.method, greeting.params);
}

Task<> takes_many_requests_at_once(Bench& bench) {
    auto talk = co_await open_talk(bench);
    auto const greeting = co_await greet(talk);
    constexpr int rounds = 20;
    constexpr int burst = 50;
    for (int round = 0; round < rounds; ++round) {
        rpc::Outbox outbox;
        for (int i = 0; i < burst; ++i) {
            put(outbox, request_text(std::to_string(10'000 + round * burst + i), greeting.method,
                                     greeting.params));
        }
        co_await send(bench, talk.transport(), outbox);
        for (int i = 0; i < burst; ++i) co_await talk.response("one of very many requests");
    }
}

Task<> opens_again(Bench& bench) {
    for (int i = 0; i < 3; ++i) {
        auto talk = co_await open_talk(bench);
        co_await greet(talk);
        talk.transport().close();
        co_await talk.transport().closed();
    }
}

constexpr auto table = std::to_array<Check>({
    {"opens within five seconds", opens},
    {"speaks a revision of the protocol that is known", speaks_a_known_revision},
    {"reports info", reports_info},
    {"opens a session", opens_a_session},
    {"refuses requests before initialization", refuses_before_initialization},
    {"serves requests that stand alone", serves_requests_that_stand_alone},
    {"keeps to the capabilities that are offered", keeps_to_what_is_offered},
    {"keeps messages apart", keeps_messages_apart},
    {"gives errors their shape", shapes_errors},
    {"serves on after garbage", serves_on_after_garbage},
    {"serves on after what is too large", serves_on_after_too_large},
    {"takes many requests at once", takes_many_requests_at_once},
    {"closes, releases, and opens again", opens_again},
});

}  // namespace

std::span<Check const> of_server() noexcept {
    return table;
}

}  // namespace lanyard::testing::checks

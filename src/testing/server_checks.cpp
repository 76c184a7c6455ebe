// The checks of validate_server(), which work with any server.
#include "testing/server_checks.hpp"

#include <array>

#include "lanyard/rpc/message.hpp"
#include "testing/talk.hpp"

namespace lanyard::testing::checks {

namespace {

using namespace std::chrono_literals;
using Level = ServerCheck::Level;

std::string with_metadata() {
    return "{" + std::string(Talk::metadata) + "}";
}

Task<Talk> open_talk(Bench& bench) {
    auto link = co_await bench.open();
    co_return Talk(bench, std::move(link));
}

// Opens a session and returns the server's capabilities.
Task<JsonObject> open_session(Talk& talk) {
    auto const answer = co_await talk.ask("initialize", initialize_params);
    auto const* const result = answer.as_object().if_contains("result");
    require(result != nullptr, "initialize was refused: " + shown(answer));
    require(result->is_object(), "the result of initialize is no object: " + shown(answer));
    for (auto const* const name : {"protocolVersion", "capabilities", "serverInfo"}) {
        require(result->get_object().contains(name),
                "the result of initialize has no " + std::string(name));
    }
    auto const& capabilities = result->get_object().at("capabilities");
    require(capabilities.is_object(), "the server's capabilities are no object");
    co_await talk.say(std::string(initialized));
    co_return capabilities.get_object();
}

Task<JsonObject> discover(Talk& talk) {
    auto const answer = co_await talk.ask("server/discover", with_metadata());
    auto const* const result = answer.as_object().if_contains("result");
    require(result != nullptr, "server/discover was refused: " + shown(answer));
    require(result->is_object(), "the result of server/discover is no object: " + shown(answer));
    co_return result->get_object();
}

}  // namespace

// A connection that is ready for requests, and a request that every server answers with a result.
struct ReadyServer {
    Talk talk;
    std::string method;
    std::string params;
    JsonObject declared{};  // the server's capabilities; empty if there is no session (modern era)
};

namespace {

Task<ReadyServer> ready_legacy(Bench& bench) {
    auto talk = co_await open_talk(bench);
    auto declared = co_await open_session(talk);
    ReadyServer ready{std::move(talk), "ping", "{}", std::move(declared)};
    co_return ready;
}

Task<ReadyServer> ready_modern(Bench& bench) {
    auto talk = co_await open_talk(bench);
    ReadyServer ready{std::move(talk), "server/discover", with_metadata(), {}};
    co_return ready;
}

using MakeReady = Task<ReadyServer> (*)(Bench&);
using Harmless = ServerCheckRuns::Together;

// Runs the check on a separate connection.
template <MakeReady make, Harmless check>
Task<> alone(Bench& bench) {
    auto ready = co_await make(bench);
    co_await check(ready);
}

Task<> opens_a_session(Bench& bench) {
    auto talk = co_await open_talk(bench);
    co_await open_session(talk);
}

// Always passes, because a ReadyServer of the legacy era already has a session.
Task<> has_a_session(ReadyServer&) {
    co_return;
}

Task<> negotiates_the_version(Bench& bench) {
    auto talk = co_await open_talk(bench);
    auto const params = R"({"protocolVersion":"1999-01-01","capabilities":{},)"
                        R"("clientInfo":{"name":"validate_server","version":"1"}})";
    auto const answer = co_await talk.ask("initialize", params);
    auto const* const result = answer.as_object().if_contains("result");
    if (result == nullptr) {
        // A server that has no other revision to offer may refuse the unknown one with an error.
        Talk::check_error(answer, "an unknown revision", std::nullopt);
        co_return;
    }
    auto const* const version =
        result->is_object() ? result->get_object().if_contains("protocolVersion") : nullptr;
    require(version != nullptr && version->is_string(), "initialize names no protocolVersion");
    require(parse_version(std::string_view(version->get_string())).has_value(),
            "the server offers a revision that does not exist: " + shown(*version));
}

Task<> answers_ping(ReadyServer& ready) {
    auto const answer = co_await ready.talk.ask("ping");
    auto const* const result = answer.as_object().if_contains("result");
    require(result != nullptr && result->is_object(), "ping was not answered: " + shown(answer));
}

Task<> answers_discover(ReadyServer& ready) {
    auto const result = co_await discover(ready.talk);
    auto const* const versions = result.if_contains("supportedVersions");
    require(versions != nullptr && versions->is_array() && !versions->get_array().empty(),
            "the result of server/discover has no supportedVersions");
    auto const* const capabilities = result.if_contains("capabilities");
    require(capabilities != nullptr && capabilities->is_object(),
            "the result of server/discover has no capabilities");
}

Task<> refuses_unknown_versions(ReadyServer& ready) {
    auto params = with_metadata();
    auto const at = params.find("2026-07-28");
    params.replace(at, 10, "2999-01-01");
    constexpr std::int64_t unsupported_version = -32022;
    co_await ready.talk.expect_error("tools/list", params, unsupported_version);
}

Task<> offers_what_it_declares(JsonObject const& declared, Talk& talk, std::string_view params) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> gated{
        {{"tools", "tools/list"}, {"prompts", "prompts/list"}, {"resources", "resources/list"}}};
    bool any = false;
    for (auto const& [capability, method] : gated) {
        if (!declared.contains(capability)) continue;
        any = true;
        co_await talk.expect_result(method, params);
    }
    if (!any) throw Skipped("the server declares nothing that can be listed");
}

Task<> lists_what_it_declares_legacy(ReadyServer& ready) {
    co_await offers_what_it_declares(ready.declared, ready.talk, ready.params);
}

Task<> lists_what_it_declares_modern(ReadyServer& ready) {
    auto const result = co_await discover(ready.talk);
    auto const* const capabilities = result.if_contains("capabilities");
    require(capabilities != nullptr && capabilities->is_object(), "there are no capabilities");
    co_await offers_what_it_declares(capabilities->get_object(), ready.talk, ready.params);
}

Task<> returns_the_id(ReadyServer& ready) {
    constexpr int count = 100;
    std::set<std::string> open;
    rpc::Outbox outbox;
    for (int i = 0; i < count; ++i) {
        // Each number is used in two ids, once as a number and once as a string: 1000 and "1000"
        // are different ids.
        auto const id = i % 2 == 0 ? std::to_string(1000 + i) : '"' + std::to_string(999 + i) + '"';
        open.insert(id);
        put(outbox, request_text(id, ready.method, ready.params));
    }
    co_await ready.talk.send_all(outbox);
    while (!open.empty()) {
        auto const answer = co_await ready.talk.response("one of many requests");
        auto const* const id = answer.as_object().if_contains("id");
        require(id != nullptr, "an answer has no id");
        require(answer.as_object().contains("result"), "one of many requests was refused");
        require(open.erase(json::serialize(*id)) == 1,
                "an answer came twice, or its id was changed: " + json::serialize(*id));
    }
}

Task<> shapes_errors(ReadyServer& ready) {
    co_await ready.talk.expect_error("no/such/method", ready.params, rpc::code::method_not_found);
    co_await ready.talk.expect_result(ready.method, ready.params);
}

template <MakeReady make>
Task<> serves_on_after_garbage(Bench& bench) {
    auto ready = co_await make(bench);
    if (ready.talk.transport().traits().speaks_http) throw Skipped("HTTP carries messages only");
    co_await ready.talk.expect_result(ready.method, ready.params);
    for (auto const* const text : {"this is not JSON", R"({"jsonrpc":"2.0","id":1,"method":)"}) {
        co_await ready.talk.say(text);
        // The server may or may not answer the bad line with an error. It must answer the valid
        // request that follows.
        co_await ready.talk.say(request_text("\"after\"", ready.method, ready.params));
        for (;;) {
            auto const answer = co_await ready.talk.response("a request after garbage");
            auto const* const id = answer.as_object().if_contains("id");
            if (id == nullptr || *id != Json("after")) {
                Talk::check_error(answer, "a line that is not JSON", std::nullopt);
                continue;
            }
            require(answer.as_object().contains("result"), "it was refused: " + shown(answer));
            break;
        }
    }
}

template <MakeReady make>
Task<> serves_on_after_too_large(Bench& bench) {
    auto const limit = bench.promises.max_message_bytes();
    if (!limit) throw Skipped("the limit of the server is not known");
    auto ready = co_await make(bench);
    if (ready.talk.transport().traits().speaks_http)
        throw Skipped("HTTP has its own answer to that");
    // Apart from its size, the request is one that the server answers with a result.
    auto params = R"({"padding":")" + std::string(*limit, 'p') + '"';
    if (ready.params != "{}") params += ',';
    params += std::string_view(ready.params).substr(1);
    co_await ready.talk.say(request_text("1", ready.method, params));
    auto const answer = co_await ready.talk.response("a message beyond the limit");
    Talk::check_error(answer, "a message beyond the limit", std::nullopt);
    co_await ready.talk.expect_result(ready.method, ready.params);
}

Task<> answers_many_requests(ReadyServer& ready) {
    constexpr int rounds = 20;
    constexpr int burst = 50;
    for (int round = 0; round < rounds; ++round) {
        rpc::Outbox outbox;
        for (int i = 0; i < burst; ++i) {
            put(outbox, request_text(std::to_string(10'000 + round * burst + i), ready.method,
                                     ready.params));
        }
        co_await ready.talk.send_all(outbox);
        for (int i = 0; i < burst; ++i) co_await ready.talk.response("one of very many requests");
    }
}

template <MakeReady make>
Task<> opens_again(Bench& bench) {
    for (int i = 0; i < 3; ++i) {
        auto ready = co_await make(bench);
        co_await ready.talk.expect_result(ready.method, ready.params);
        ready.talk.transport().close();
        co_await ready.talk.transport().closed();
    }
}

template <Harmless check>
constexpr ServerCheckRuns in_session{alone<ready_legacy, check>, check};
template <Harmless check>
constexpr ServerCheckRuns without_session{alone<ready_modern, check>, check};

constexpr auto table = std::to_array<ServerRule>({
    {"opens a session",
     Level::must,
     "basic/lifecycle, Initialization",
     {opens_a_session, has_a_session}},
    {"answers an unknown revision with one it supports",
     Level::must,
     "basic/lifecycle, Version Negotiation",
     {negotiates_the_version}},
    {"answers ping", Level::must, "basic/utilities/ping, Behavior Requirements",
     in_session<answers_ping>},
    {"answers server/discover",
     Level::must,
     "server/discover",
     {},
     without_session<answers_discover>},
    {"refuses an unknown revision with -32022",
     Level::must,
     "basic/versioning",
     {},
     without_session<refuses_unknown_versions>},
    {"lists the declared features", Level::must,
     "server/tools, server/resources, server/prompts: Capabilities",
     in_session<lists_what_it_declares_legacy>, without_session<lists_what_it_declares_modern>},
    {"answers with the id of the request", Level::must, "basic, Responses",
     in_session<returns_the_id>, without_session<returns_the_id>},
    {"refuses an unknown method with -32601", Level::must, "JSON-RPC 2.0, 5.1 Error object",
     in_session<shapes_errors>, without_session<shapes_errors>},
    {"answers every request of a burst", Level::must, "JSON-RPC 2.0, 5 Response object",
     in_session<answers_many_requests>, without_session<answers_many_requests>},
    {"continues after a line that is not JSON",
     Level::should,
     "JSON-RPC 2.0, 5.1 Error object",
     {serves_on_after_garbage<ready_legacy>},
     {serves_on_after_garbage<ready_modern>}},
    {"refuses a message beyond its limit and continues",
     Level::should,
     "JSON-RPC 2.0, 5.1 Error object",
     {serves_on_after_too_large<ready_legacy>},
     {serves_on_after_too_large<ready_modern>}},
    {"ends a connection and opens another",
     Level::should,
     "basic/transports",
     {opens_again<ready_legacy>},
     {opens_again<ready_modern>}},
});

}  // namespace

std::span<ServerRule const> server_rules() noexcept {
    return table;
}

Task<> check_together(Bench& bench, Era era, std::set<std::string_view>& passed) {
    auto const make = era == Era::legacy ? ready_legacy : ready_modern;
    auto ready = co_await make(bench);
    for (auto const& rule : table) {
        auto const check = rule.runs(era).together;
        if (check == nullptr) continue;
        try {
            co_await check(ready);
        } catch (Skipped const&) {
            continue;
        }
        passed.insert(rule.name);
    }
}

Task<> probe_legacy(Bench& bench) {
    co_await opens_a_session(bench);
}

Task<> probe_modern(Bench& bench) {
    auto talk = co_await open_talk(bench);
    co_await discover(talk);
}

}  // namespace lanyard::testing::checks

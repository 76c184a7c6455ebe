// The checks of validate_transport() that use a server on top of the transport.
#include <array>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "lanyard/json.hpp"
#include "lanyard/rpc/message.hpp"
#include "lanyard/server.hpp"
#include "testing/check_tools.hpp"
#include "testing/talk.hpp"

namespace lanyard::testing::checks {

namespace {

// A server with a single tool.
std::shared_ptr<Server> make_server() {
    ServerOptions options;
    options.on_log([](LoggingLevel, std::string_view) {});
    auto server = std::make_shared<Server>("validate_transport", "1", options);
    ToolOptions tool;
    tool.inline_();
    server->tool("ping_tool", "", [] { return std::string("pong"); }, tool);
    return server;
}

Task<Talk> talk_to_server(Bench& bench) {
    auto link = co_await bench.open_served(make_server());
    co_return Talk(bench, std::move(link));
}

Task<> passes_through_the_phases(Bench& bench) {
    auto talk = co_await talk_to_server(bench);
    co_await talk.expect_result("ping");
    co_await talk.open_session();
    co_await talk.expect_result("tools/list");
    // A client may initialize again, but only with complete parameters.
    co_await talk.expect_error("initialize", R"({"protocolVersion":"2025-11-25"})");
    co_await talk.open_session();
    co_await talk.expect_result("tools/call", R"({"name":"ping_tool"})");
}

Task<> refuses_before_initialization(Bench& bench) {
    auto talk = co_await talk_to_server(bench);
    for (auto const* const method : {"tools/list", "tools/call", "resources/read"}) {
        co_await talk.expect_error(method, R"({"name":"ping_tool","uri":"a:b"})");
    }
    co_await talk.open_session();
    co_await talk.expect_result("tools/list");
}

Task<> serves_stateless_requests(Bench& bench) {
    auto talk = co_await talk_to_server(bench);
    std::string const meta(Talk::metadata);
    co_await talk.expect_result("server/discover", "{" + meta + "}");
    co_await talk.expect_result("tools/call", R"({"name":"ping_tool",)" + meta + "}");
    co_await talk.expect_error("tools/call", R"({"name":"ping_tool"})");
}

Task<> keeps_to_what_is_offered(Bench& bench) {
    auto talk = co_await talk_to_server(bench);
    co_await talk.open_session();
    for (auto const* const method :
         {"prompts/list", "resources/list", "resources/subscribe", "completion/complete"}) {
        co_await talk.expect_error(method, R"({"uri":"a:b"})", rpc::code::method_not_found);
    }
    co_await talk.expect_result("tools/list");
}

Task<> shapes_errors(Bench& bench) {
    auto talk = co_await talk_to_server(bench);
    co_await talk.open_session();
    co_await talk.expect_error("no/such/method", "{}", rpc::code::method_not_found);
    co_await talk.expect_error("tools/call", R"({"name":"no_such_tool"})",
                               rpc::code::invalid_params);
    co_await talk.expect_error("tools/call", R"({"name":7})", rpc::code::invalid_params);
    // If the id of a request is a string, the id of the response must be a string, too.
    co_await talk.say(R"({"jsonrpc":"2.0","id":"7","method":"no/such/method"})");
    auto const answer = co_await talk.response("a request whose id is a string");
    Talk::check_error(answer, "an unknown method", rpc::code::method_not_found);
    auto const* const id = answer.as_object().if_contains("id");
    require(id != nullptr && id->is_string() && id->as_string() == "7",
            "an id that is a string came back as something else");
}

Task<> serves_on_after_garbage(Bench& bench) {
    auto talk = co_await talk_to_server(bench);
    co_await talk.open_session();
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> garbage{{
        {"this is not JSON", rpc::code::parse_error},
        {R"({"jsonrpc":"2.0","id":1,"method":)", rpc::code::parse_error},
        {"[]", rpc::code::invalid_request},
        {R"({"jsonrpc":"1.0","id":99,"method":"ping"})", rpc::code::invalid_request},
        {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", rpc::code::invalid_request},
    }};
    for (auto const& [text, code] : garbage) {
        co_await talk.say(std::string(text));
        auto const answer = co_await talk.response("garbage");
        Talk::check_error(answer, std::string(text), code);
        co_await talk.expect_result("ping");
    }
}

Task<> serves_on_after_too_large(Bench& bench) {
    auto const limit = bench.promises.max_message_bytes();
    if (!limit) throw Skipped("no limit is promised");
    auto talk = co_await talk_to_server(bench);
    co_await talk.open_session();
    bool ended = false;
    try {
        co_await talk.say(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"padding":")" +
                          std::string(*limit, 'p') + "\"}}");
        auto const answer = co_await talk.response("a message beyond the limit");
        Talk::check_error(answer, "a message beyond the limit", std::nullopt);
    } catch (Broken const& broken) {
        // Some framings cannot skip a message beyond the size limit. With such a framing, the
        // connection ends.
        ended = std::string_view(broken.what()).find("ended") != std::string_view::npos ||
                std::string_view(broken.what()).find("write failed") != std::string_view::npos;
        if (!ended) throw;
    }
    if (!ended) co_await talk.expect_result("ping");
}

Task<> lets_the_server_see_the_end(Bench& bench) {
    auto const server = make_server();
    auto const link = co_await bench.open_served(server);
    Talk talk(bench, link);
    co_await talk.open_session();
    co_await talk.expect_result("ping");
    require(server->sessions().size() == 1, "the server does not know of the session");
    link->near->close();
    auto& time = bench.promises.time();
    auto const deadline = time.now() + bench.promises.timeout();
    while (!server->sessions().empty() && time.now() < deadline) {
        co_await sleep_for(time, std::chrono::milliseconds(1));
    }
    require(server->sessions().empty(), "the server keeps the session of a client that has gone");
}

constexpr auto table = std::to_array<Check>({
    {"passes through the phases of a session", passes_through_the_phases},
    {"refuses requests before initialization", refuses_before_initialization},
    {"serves stateless requests", serves_stateless_requests},
    {"keeps to the capabilities that are offered", keeps_to_what_is_offered},
    {"gives errors their shape", shapes_errors},
    {"continues after garbage", serves_on_after_garbage},
    {"continues after a message that is too large", serves_on_after_too_large},
    {"lets the server see the end", lets_the_server_see_the_end},
});

}  // namespace

std::span<Check const> of_protocol() noexcept {
    return table;
}

}  // namespace lanyard::testing::checks

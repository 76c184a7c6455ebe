// Stateless requests. The tests of rules are those of the conformance suite's scenario
// server-stateless that do not need HTTP itself.
#include "unit/server/clients/stateless_fixture.hpp"

namespace lanyard::server {
namespace {

class StatelessRule : public StatelessPeerTest {};

TEST_F(StatelessRule, discover_without_metadata_is_refused) {
    for (auto const* const meta :
         {"", R"("_meta":{})", R"("_meta":{"io.modelcontextprotocol/clientCapabilities":{}})",
          R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"}) {
        auto const message = R"({"jsonrpc":"2.0","id":"x","method":"server/discover","params":{)" +
                             std::string(meta) + "}}";
        EXPECT_EQ(refusal(handle(message, info)), Refusal(-32602, 400)) << meta;
    }
    EXPECT_EQ(refusal(handle(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})", info)),
              Refusal(-32602, 400));
}

TEST_F(StatelessRule, client_info_may_be_missing) {
    auto const meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                      R"("io.modelcontextprotocol/clientCapabilities":{}})";
    EXPECT_TRUE(at(result(ask("server/discover", "", meta)), "supportedVersions").is_array());
}

TEST_F(StatelessRule, discover_returns_versions_capabilities_and_server_info) {
    auto const found = result(ask("server/discover"));
    EXPECT_EQ(at(found, "supportedVersions", 0), "2026-07-28");
    EXPECT_TRUE(at(found, "capabilities", "tools").is_object());
    EXPECT_TRUE(at(found, "capabilities", "prompts").is_object());
    EXPECT_TRUE(at(found, "capabilities", "resources").is_object());
    EXPECT_EQ(at(found, "_meta", "io.modelcontextprotocol/serverInfo", "name"), "greeter");
}

TEST_F(StatelessRule, methods_without_features_do_not_exist) {
    Server bare{"bare", "1", ServerOptions().time(time)};
    entry = rpc::RequestEntry::open(bare, context.get_executor());
    auto const found = result(ask("server/discover"));
    EXPECT_TRUE(at(found, "capabilities", "tools").is_null());
    EXPECT_EQ(refusal(ask("tools/list")), Refusal(-32601, 404));
    EXPECT_EQ(refusal(ask("prompts/list")), Refusal(-32601, 404));
    entry.reset();
}

TEST_F(StatelessRule, an_unknown_version_is_refused_with_the_supported_ones) {
    auto const meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"v999.0.0",)"
                      R"("io.modelcontextprotocol/clientCapabilities":{}})";
    auto const& refused = ask("tools/list", "", meta);
    EXPECT_EQ(refusal(refused), Refusal(-32022, 400));
    auto const data = *json::parse(refused.error->data.text());
    EXPECT_EQ(at(data, "supported", 0), "2026-07-28");
    EXPECT_EQ(at(data, "requested"), "v999.0.0");
}

TEST_F(StatelessRule, a_legacy_version_is_not_served_without_a_handshake) {
    auto const meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",)"
                      R"("io.modelcontextprotocol/clientCapabilities":{}})";
    EXPECT_EQ(refusal(ask("tools/list", "", meta)), Refusal(-32022, 400));
}

TEST_F(StatelessRule, a_tool_that_needs_a_missing_client_capability_is_refused) {
    auto const& refused = ask("tools/call", R"("name":"sure")");
    EXPECT_EQ(refusal(refused), Refusal(-32021, 400));
    EXPECT_TRUE(at(*json::parse(refused.error->data.text()), "requiredCapabilities", "elicitation")
                    .is_object());
}

TEST_F(StatelessRule, methods_of_other_revisions_do_not_exist) {
    for (auto const* const method :
         {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
          "unknown/method"}) {
        EXPECT_EQ(refusal(ask(method)), Refusal(-32601, 404)) << method;
    }
}

TEST_F(StatelessRule, progress_is_sent_before_the_answer) {
    auto const& responder =
        ask("tools/call", R"("name":"steps")", RawClient::meta("{}", R"(,"progressToken":"p")"));
    EXPECT_EQ(responder.notifications,
              (std::vector<std::string>{
                  R"(notifications/progress {"progressToken":"p","progress":1,"total":2,)"
                  R"("message":"half"})",
                  R"(notifications/progress {"progressToken":"p","progress":2,"total":2})"}));
    EXPECT_EQ(text(responder), "done");
}

TEST_F(StatelessRule, log_messages_are_sent_if_the_request_enables_them) {
    EXPECT_TRUE(ask("tools/call", R"("name":"steps")").notifications.empty());
    auto const level = [](std::string const& name) {
        return RawClient::meta("{}", R"(,"io.modelcontextprotocol/logLevel":")" + name + R"(")");
    };
    EXPECT_TRUE(ask("tools/call", R"("name":"steps")", level("error")).notifications.empty());
    auto const& responder = ask("tools/call", R"("name":"steps")", level("info"));
    EXPECT_EQ(responder.notifications,
              std::vector<std::string>{
                  R"(notifications/message {"level":"info","logger":"steps","data":"beginning"})"});
}

TEST_F(StatelessRule, a_stream_is_acknowledged_first_with_the_granted_subscriptions) {
    auto const& stream = ask("subscriptions/listen",
                             R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":)"
                             R"(["test://watched","test://watched","test://none"]})");
    EXPECT_FALSE(stream.ended());
    ASSERT_EQ(stream.notifications.size(), 1u);
    EXPECT_EQ(stream.flushed, 1u);
    EXPECT_EQ(
        stream.notifications[0],
        R"(notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true,)"
        R"("resourceSubscriptions":["test://watched"]},)"
        R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}})");
    EXPECT_EQ(entry->in_flight(), 1u);
}

TEST_F(StatelessRule, a_stream_gets_only_the_requested_notifications) {
    auto const& tools = ask("subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
    auto const& watch = ask("subscriptions/listen",
                            R"("notifications":{"resourceSubscriptions":["test://watched"]})");
    server.remove_tool("who");
    server.list_changed(FeatureKind::prompt);
    server.resource_updated("test://watched");
    server.log(LoggingLevel::error, "not here");
    poll();
    ASSERT_EQ(tools.notifications.size(), 2u);
    EXPECT_EQ(tools.notifications[1], R"(notifications/tools/list_changed )"
                                      R"({"_meta":{"io.modelcontextprotocol/subscriptionId":1}})");
    EXPECT_EQ(tools.flushed, 2u);
    ASSERT_EQ(watch.notifications.size(), 2u);
    EXPECT_EQ(watch.notifications[1], R"(notifications/resources/updated {"uri":"test://watched",)"
                                      R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}})");
    // A further change within the interval is sent when the interval is over.
    server.resource_updated("test://watched");
    poll();
    EXPECT_EQ(watch.notifications.size(), 2u);
    time.advance(100ms);
    poll();
    EXPECT_EQ(watch.notifications.size(), 3u);
    EXPECT_EQ(watch.flushed, 3u);
}

TEST_F(StatelessPeerTest, serves_every_feature) {
    EXPECT_EQ(text(ask("tools/call", R"("name":"greet","arguments":{"name":"Ada"})")),
              "Hello, Ada");
    EXPECT_EQ(at(result(ask("tools/list")), "tools", 1, "name"), "greet");
    EXPECT_EQ(at(result(ask("resources/read", R"("uri":"test://watched")")), "contents", 0, "text"),
              "text");
    EXPECT_EQ(
        at(result(ask("prompts/get", R"("name":"review")")), "messages", 0, "content", "text"),
        "Look.");
    EXPECT_EQ(refusal(ask("tools/call", R"("name":"nope")")), Refusal(-32602, 200));
    EXPECT_EQ(entry->in_flight(), 0u);
    EXPECT_EQ(server.stateless_info().requests, 5u);
    EXPECT_TRUE(server.sessions().empty());
}

TEST_F(StatelessPeerTest, every_request_has_its_own_peer_information) {
    auto ada = std::make_shared<PeerInfo>();
    ada->transport = "http";
    ada->identity = "ada";
    ada->headers = {{"X-A", "1"}};
    auto const message =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who",)" +
        RawClient::meta() + "}}";
    EXPECT_EQ(text(handle(message, ada)), "ada X-A=1 http|");
    EXPECT_EQ(text(handle(message, info)), " http|");
    // The server keeps no reference to the information, so that a transport may reuse them.
    EXPECT_EQ(ada.use_count(), 1);
}

TEST_F(StatelessPeerTest, a_question_is_answered_by_sending_the_request_again) {
    auto const meta = RawClient::meta(R"({"elicitation":{"form":{}}})");
    auto const asked = result(ask("tools/call", R"("name":"sure")", meta));
    EXPECT_EQ(at(asked, "resultType"), "input_required");
    auto const state = json::serialize(at(asked, "requestState"));
    auto const retry = R"("name":"sure","inputResponses":{"sure":{"action":"accept","content":)"
                       R"({"really":true}}},"requestState":)" +
                       state;
    EXPECT_EQ(text(ask("tools/call", retry, meta)), "did it");
}

TEST_F(StatelessPeerTest, a_state_is_valid_for_its_principal_only) {
    auto const meta = RawClient::meta(R"({"elicitation":{"form":{}}})");
    info->identity = "ada";
    auto const asked = result(ask("tools/call", R"("name":"sure")", meta));
    auto const retry = R"("name":"sure","inputResponses":{"sure":{"action":"accept","content":)"
                       R"({"really":true}}},"requestState":)" +
                       json::serialize(at(asked, "requestState"));
    info = std::make_shared<PeerInfo>(*info);
    info->identity = "eve";
    EXPECT_EQ(refusal(ask("tools/call", retry, meta)), Refusal(-32602, 200));
    info = std::make_shared<PeerInfo>(*info);
    info->identity = "ada";
    EXPECT_EQ(text(ask("tools/call", retry, meta)), "did it");
}

TEST_F(StatelessPeerTest, disconnecting_cancels_the_request) {
    auto& responder = ask("tools/call", R"("name":"forever")");
    EXPECT_EQ(entry->in_flight(), 1u);
    responder.go();
    poll();
    EXPECT_EQ(unwound, 1);
    EXPECT_EQ(entry->in_flight(), 0u);
    EXPECT_FALSE(responder.ended());
    auto& stream = ask("subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
    auto& other = ask("subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
    stream.go();
    server.remove_tool("who");
    poll();
    EXPECT_EQ(other.notifications.size(), 2u);
    EXPECT_EQ(entry->in_flight(), 1u);
}

TEST_F(StatelessPeerTest, a_client_that_has_already_disconnected_is_not_served) {
    auto const message =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever",)" +
        RawClient::meta() + "}}";
    auto const& envelope = reader.read(message);
    RecordingResponder gone;
    gone.go();
    entry->handle(*envelope, info, gone, time.now());
    auto const listen =
        R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},)" +
        RawClient::meta() + "}}";
    auto const& again = reader.read(listen);
    entry->handle(*again, info, gone, time.now());
    poll();
    EXPECT_EQ(entry->in_flight(), 0u);
    EXPECT_EQ(unwound, 0);
}

TEST_F(StatelessPeerTest, a_tool_on_a_worker_answers_later) {
    server.tool("work", "", [] { return "worked"; }, ToolOptions().blocking());
    auto& responder = ask("tools/call", R"("name":"work")");
    EXPECT_EQ(text(responder), "worked");
}

TEST_F(StatelessPeerTest, the_result_of_a_worker_that_outlives_its_client_is_dropped) {
    std::latch started(1);
    std::latch released(1);
    std::latch ended(1);
    server.tool(
        "work", "",
        [&](Context& ctx) {
            started.count_down();
            released.wait();
            bool const stopped = ctx.stop_token().stop_requested();
            ended.count_down();
            return stopped ? "stopped" : "worked";
        },
        ToolOptions().blocking());
    auto& responder = ask("tools/call", R"("name":"work")");
    started.wait();
    responder.go();
    released.count_down();
    ended.wait();
    // The call ends; the recording responder would report a failure if it were used.
    for (int i = 0; i < 10; ++i) {
        context.restart();
        context.run_one_for(10ms);
    }
    EXPECT_FALSE(responder.ended());
    EXPECT_EQ(entry->in_flight(), 0u);
}

TEST_F(StatelessPeerTest, a_call_that_takes_too_long_is_ended) {
    auto const& responder = ask("tools/call", R"("name":"slow")");
    time.advance(2s);
    poll();
    EXPECT_TRUE(responder.ended());
    EXPECT_EQ(at(result(responder), "isError"), true);
}

TEST_F(StatelessPeerTest, progress_is_rate_limited_without_losing_the_last_value) {
    server.tool("many", "", [this](Context& ctx) -> Task<std::string> {
        for (int i = 1; i <= 50; ++i) ctx.report_progress(i);
        co_await sleep_for(time, 1s);
        ctx.report_progress(51);
        for (int i = 52; i <= 80; ++i) ctx.report_progress(i);
        co_return "done";
    });
    auto const& responder =
        ask("tools/call", R"("name":"many")", RawClient::meta("{}", R"(,"progressToken":7)"));
    auto const at_once = responder.notifications.size();
    EXPECT_LT(at_once, 50u);
    time.advance(100ms);
    poll();
    ASSERT_EQ(responder.notifications.size(), at_once + 1);
    EXPECT_EQ(responder.flushed, at_once + 1);
    EXPECT_EQ(responder.notifications.back(),
              R"(notifications/progress {"progressToken":7,"progress":50})");
    time.advance(900ms);
    poll();
    EXPECT_EQ(text(responder), "done");
    EXPECT_EQ(responder.notifications.back(),
              R"(notifications/progress {"progressToken":7,"progress":80})");
}

TEST_F(StatelessPeerTest, a_stream_needs_a_carrier_that_can_stream) {
    auto const message =
        R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},)" +
        RawClient::meta() + "}}";
    auto const& envelope = reader.read(message);
    RecordingResponder responder;
    responder.streams = false;
    entry->handle(*envelope, info, responder, time.now());
    EXPECT_EQ(refusal(responder), Refusal(-32603, 200));
    EXPECT_EQ(refusal(ask("subscriptions/listen", R"("notifications":5)")), Refusal(-32602, 200));
    EXPECT_EQ(entry->in_flight(), 0u);
}

TEST_F(StatelessPeerTest, the_subscriptions_of_a_stream_are_limited) {
    std::string uris;
    for (int i = 0; i < 1'001; ++i) {
        uris += (i == 0 ? "\"" : ",\"") + ("test://watched/" + std::to_string(i)) + "\"";
    }
    server.resource_template("test://watched/{n}", "many",
                             [](UriVariables const&, Context&) { return std::string("x"); });
    EXPECT_EQ(refusal(ask("subscriptions/listen",
                          R"("notifications":{"resourceSubscriptions":[)" + uris + "]}")),
              Refusal(-32603, 200));
}

TEST_F(StatelessPeerTest, a_resource_that_is_filtered_out_cannot_be_watched) {
    server.filter([](FeatureKind, std::string_view name, Context const& ctx) {
        return name != "test://watched" || ctx.identity() == "ada";
    });
    auto const listen = R"("notifications":{"resourceSubscriptions":["test://watched"]})";
    EXPECT_EQ(ask("subscriptions/listen", listen).notifications[0].find("test://watched"),
              std::string::npos);
    info = std::make_shared<PeerInfo>(*info);
    info->identity = "ada";
    EXPECT_NE(ask("subscriptions/listen", listen).notifications[0].find("test://watched"),
              std::string::npos);
}

TEST_F(StatelessPeerTest, stopping_ends_streams_refuses_requests_and_gives_calls_their_grace) {
    auto const& stream =
        ask("subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
    auto const& call = ask("tools/call", R"("name":"forever")");
    server.stop(5s);
    poll();
    EXPECT_TRUE(stream.ended());
    EXPECT_EQ(at(result(stream), "_meta", "io.modelcontextprotocol/subscriptionId"), 1);
    auto const& refused = ask("tools/list");
    EXPECT_EQ(refusal(refused), Refusal(-32603, 503));
    EXPECT_FALSE(refused.error->may_have_run);
    EXPECT_FALSE(call.ended());
    EXPECT_EQ(server.stateless_info().in_flight, 1u);
    time.advance(5s);
    poll();
    EXPECT_EQ(refusal(call), Refusal(-32603, 503));
    EXPECT_TRUE(call.error->may_have_run) << "the client must not repeat it";
    poll();
    EXPECT_EQ(unwound, 1);
    EXPECT_EQ(entry->in_flight(), 0u);
}

TEST_F(StatelessPeerTest, requests_to_a_stopped_server_are_refused) {
    server.stop(0s);
    auto const late = rpc::RequestEntry::open(server, context.get_executor());
    poll();
    RecordingResponder responder;
    auto const message =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + RawClient::meta() + "}}";
    auto const& envelope = reader.read(message);
    late->handle(*envelope, info, responder, time.now());
    EXPECT_EQ(refusal(responder), Refusal(-32603, 503));
    auto& call = ask("tools/list");
    EXPECT_EQ(refusal(call), Refusal(-32603, 503));
}

TEST_F(StatelessPeerTest, an_entry_can_be_stopped_separately) {
    auto const& call = ask("tools/call", R"("name":"forever")");
    entry->shut_down(0s);
    poll();
    EXPECT_EQ(refusal(call), Refusal(-32603, 503));
}

TEST_F(StatelessPeerTest, destroying_the_entry_drops_the_answers_of_pending_calls) {
    auto& call = ask("tools/call", R"("name":"forever")");
    call.go();
    entry.reset();
    poll();
    EXPECT_EQ(server.stateless_info().requests, 0u);
    server.remove_tool("who");
    poll();
}

TEST_F(StatelessPeerTest, long_metadata_applies_to_its_request_only) {
    auto const long_info = RawClient::meta("{}", R"(,"x":")" + std::string(5'000, 'y') + R"(")");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(text(ask("tools/call", R"("name":"greet","arguments":{"name":"Bo"})", long_info)),
                  "Hello, Bo");
    }
    auto const bad = R"("_meta":{"x":")" + std::string(5'000, 'y') + R"("})";
    EXPECT_EQ(refusal(ask("tools/list", "", bad)), Refusal(-32602, 400));
}

TEST_F(StatelessPeerTest, metadata_of_alternating_clients_is_not_mixed_up) {
    auto const wants_logs = RawClient::meta("{}", R"(,"io.modelcontextprotocol/logLevel":"info")");
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ask("tools/call", R"("name":"steps")", wants_logs).notifications.size(), 1u);
        EXPECT_EQ(refusal(ask("tools/list", "", R"("_meta":{"x":1})")), Refusal(-32602, 400));
        EXPECT_TRUE(ask("tools/call", R"("name":"steps")").notifications.empty());
        EXPECT_TRUE(ask("tools/call", R"("name":"steps")").notifications.empty());
    }
}

TEST(Endpoint, has_sensible_defaults) {
    struct Silent final : Endpoint {
        Task<> serve(std::unique_ptr<Transport>) override { co_return; }
    } endpoint;
    boost::asio::io_context context;
    EXPECT_EQ(rpc::RequestEntry::open(endpoint, context.get_executor()), nullptr);
    EXPECT_EQ(&endpoint.time(), &real_time());
    EXPECT_EQ(&endpoint.random(), &system_random());
    EXPECT_EQ(endpoint.versions().size(), all_versions.size());
    endpoint.record(LoggingLevel::debug, "nobody needs to know");
}

}  // namespace
}  // namespace lanyard::server

// Tasks of 2025-11-25, and batches of 2025-03-26.
#include "client_fixture.hpp"

namespace lanyard {
namespace {

constexpr auto task_members =
    R"("taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z",)"
    R"("lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000)";
constexpr auto with_tasks =
    R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";

TEST_F(ClientTest, a_tool_call_becomes_a_task) {
    open(Version::v2025_11_25, {}, with_tasks);
    auto starting = start(client.start_tool_task("slow", RawJson::trusted(R"({"n":1})"), 60s));
    auto request = server->expect("tools/call");
    EXPECT_EQ(request.at("params").at("task"), json_of(R"({"ttl":60000})"));
    EXPECT_EQ(request.at("params").at("arguments"), json_of(R"({"n":1})"));
    server->result(request, R"({"task":{)" + std::string(task_members) + "}}");
    EXPECT_EQ(starting.value().task_id, "t1");

    auto getting = start(client.get_task("t1"));
    request = server->expect("tasks/get");
    EXPECT_EQ(request.at("params").at("taskId"), "t1");
    server->result(request, "{" + std::string(task_members) + "}");
    EXPECT_EQ(getting.value().task.status, TaskStatus::working);

    auto waiting = start(client.task_result("t1"));
    request = server->expect("tasks/result");
    advance(1h);
    EXPECT_FALSE(waiting.done());
    server->result(request, R"({"content":[{"type":"text","text":"at last"}]})");
    EXPECT_EQ(std::get<TextContent>(waiting.value().content.at(0)).text, "at last");
    auto garbled = start(client.task_result("t1"));
    server->result(server->expect("tasks/result"), R"({"content":1})");
    EXPECT_TRUE(garbled.error().is(Errc::protocol_violation));

    auto listing = start(client.list_tasks());
    server->result(server->expect("tasks/list"),
                   R"({"tasks":[{)" + std::string(task_members) + R"(}],"nextCursor":"c"})");
    server->result(server->expect("tasks/list"), R"({"tasks":[]})");
    EXPECT_EQ(listing.value().size(), 1U);

    auto cancelling = start(client.cancel_task("t1"));
    request = server->expect("tasks/cancel");
    EXPECT_EQ(request.at("params").at("taskId"), "t1");
    server->result(request, "{" + std::string(task_members) + "}");
    EXPECT_TRUE(cancelling.value());
}

TEST_F(ClientTest, tasks_need_their_capabilities) {
    open(Version::v2025_11_25, {}, R"({"tools":{},"tasks":{}})");
    EXPECT_TRUE(start(client.start_tool_task("x")).error().is(Errc::capability_missing));
    EXPECT_TRUE(start(client.list_tasks()).error().is(Errc::capability_missing));
    EXPECT_TRUE(start(client.cancel_task("x")).error().is(Errc::capability_missing));
    EXPECT_TRUE(server->silent());
}

TEST_F(ClientTest, many_calls_are_one_batch_if_the_version_has_batches) {
    open(Version::v2025_03_26);
    auto calling = start(client.call_all(std::vector<CallToolParams>(2)));
    auto const batch = server->next();
    ASSERT_TRUE(batch.is_array());
    ASSERT_EQ(batch.as_array().size(), 2U);
    EXPECT_EQ(batch.at(0).at("method"), "tools/call");
    EXPECT_TRUE(server->silent());
    server->send(R"([{"jsonrpc":"2.0","id":)" + boost::json::serialize(batch.at(1).at("id")) +
                 R"(,"result":{"content":[]}},{"jsonrpc":"2.0","id":)" +
                 boost::json::serialize(batch.at(0).at("id")) +
                 R"(,"error":{"code":-32602,"message":"no"}}])");
    auto const outcomes = calling.value();
    EXPECT_FALSE(outcomes.at(0));
    EXPECT_TRUE(outcomes.at(1));
    auto single = start(client.call_tool("x"));
    server->expect("tools/call");
    auto none = start(client.call_all({}));
    EXPECT_TRUE(none.done());
    EXPECT_TRUE(server->silent());
    client.close();
    EXPECT_TRUE(single.error().is(Errc::shutdown));
    auto closed = start(client.call_all(std::vector<CallToolParams>(1)));
    EXPECT_TRUE(closed.value().at(0).error().is(Errc::closed));
}

TEST_F(ClientTest, requests_of_any_methods_are_one_batch_if_the_version_has_batches) {
    open(Version::v2025_03_26);
    std::vector<RawRequest> requests(4);
    requests[0].method = "tools/list";
    requests[1].method = "custom/method";
    requests[1].params = RawJson::trusted(R"({"a":1})");
    requests[2].method = "server/discover";
    requests[3].method = "ping";
    requests[3].params = RawJson::trusted("[1]");
    auto requesting = start(client.request_all(requests));
    auto const batch = server->next();
    ASSERT_TRUE(batch.is_array());
    ASSERT_EQ(batch.as_array().size(), 2U);
    EXPECT_EQ(batch.at(0).at("method"), "tools/list");
    EXPECT_EQ(batch.at(1).at("method"), "custom/method");
    EXPECT_EQ(batch.at(1).at("params").at("a"), 1);
    EXPECT_TRUE(server->silent());
    server->send(R"([{"jsonrpc":"2.0","id":)" + boost::json::serialize(batch.at(0).at("id")) +
                 R"(,"result":{"tools":[]}},{"jsonrpc":"2.0","id":)" +
                 boost::json::serialize(batch.at(1).at("id")) +
                 R"(,"error":{"code":-32601,"message":"no"}}])");
    auto const outcomes = requesting.value();
    ASSERT_EQ(outcomes.size(), 4U);
    EXPECT_EQ(outcomes[0].value().text(), R"({"tools":[]})");
    EXPECT_EQ(outcomes[1].error().peer_code(), -32601);
    EXPECT_TRUE(outcomes[2].error().is(Errc::unsupported_in_era));
    EXPECT_TRUE(outcomes[3].error().is(Errc::invalid_argument));
}

TEST_F(ClientTest, requests_of_any_methods_are_sent_together_in_versions_without_batches) {
    open(Version::v2025_11_25);
    std::vector<RawRequest> requests(2);
    for (auto& request : requests) request.method = "tools/list";
    auto requesting = start(client.request_all(requests));
    auto const first = server->expect("tools/list");
    auto const second = server->expect("tools/list");
    server->result(second, R"({"tools":[]})");
    EXPECT_FALSE(requesting.done());
    server->result(first, R"({"tools":[]})");
    for (auto const& outcome : requesting.value()) EXPECT_TRUE(outcome);
}

}  // namespace
}  // namespace lanyard

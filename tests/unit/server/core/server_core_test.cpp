// State that sessions share through the core.
#include "server/core/server_core.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lanyard/testing/fake_time.hpp"
#include "server/call/metadata.hpp"

namespace lanyard::server {
namespace {

ClientInfo client(std::string name) {
    ClientInfo info;
    info.info.name = std::move(name);
    return info;
}

class CoreTest : public ::testing::Test {
protected:
    ServerCore core{Implementation{.name = "test", .version = "1"}, ServerOptions()};
};

TEST_F(CoreTest, clients_with_equal_descriptions_share_one_copy) {
    auto const one = core.share(client("one"));
    EXPECT_EQ(one->info.name, "one");
    EXPECT_NE(core.share(client("other")), one);
    EXPECT_EQ(core.share(client("one")), one);
}

TEST_F(CoreTest, descriptions_of_recent_clients_are_kept) {
    auto const first = core.share(client("first"));
    auto const second = core.share(client("second"));
    std::vector<std::shared_ptr<ClientInfo const>> others;
    for (int i = 0; i < 14; ++i) others.push_back(core.share(client(std::to_string(i))));
    EXPECT_EQ(core.share(client("first")), first) << "and is the latest now";
    others.push_back(core.share(client("one more")));
    EXPECT_EQ(core.share(client("first")), first);
    EXPECT_NE(core.share(client("second")), second);
}

TEST_F(CoreTest, the_description_of_a_disconnected_client_is_not_kept) {
    std::weak_ptr<ClientInfo const> const gone = core.share(client("gone"));
    EXPECT_TRUE(gone.expired());
    EXPECT_EQ(core.share(client("gone"))->info.name, "gone");
}

TEST_F(CoreTest, capabilities_are_shared_until_they_change) {
    auto const before = core.shared_capabilities();
    EXPECT_EQ(*before, core.capabilities());
    EXPECT_EQ(core.shared_capabilities(), before);
    core.change([](Settings& settings) { settings.experimental["x"] = Json(JsonObject()); });
    auto const after = core.shared_capabilities();
    EXPECT_NE(after, before);
    EXPECT_EQ(*after, core.capabilities());
}

// The log lines that clients cause, in virtual time.
class LogTest : public ::testing::Test {
protected:
    ServerOptions options() {
        ServerOptions made;
        made.time(time).on_log(
            [this](LoggingLevel, std::string_view text) { lines.emplace_back(text); });
        return made;
    }
    static PeerInfo client_at(std::string address) {
        PeerInfo info;
        info.transport = "tcp";
        info.address = std::move(address);
        return info;
    }
    void flood(PeerInfo const& cause, int count) {
        for (int i = 0; i < count; ++i) core.log(LoggingLevel::warning, cause, "noise");
    }

    testing::FakeTime time;
    std::vector<std::string> lines;
    ServerCore core{Implementation{.name = "test", .version = "1"}, options()};
};

TEST_F(LogTest, a_sink_gets_single_lines_without_control_characters) {
    core.log(LoggingLevel::warning, client_at("one"), "a\x1B[2J\nb \u202E");
    EXPECT_EQ(lines, std::vector<std::string>{"a\\x1B[2J\\nb \\u202E"});
}

TEST_F(LogTest, lines_of_a_client_are_limited_and_the_rest_is_counted) {
    flood(client_at("192.0.2.1"), 1000);
    EXPECT_EQ(lines.size(), 20U);
    EXPECT_EQ(core.limits().read().log_suppressed, 980U);
    // Another client is not limited; the line before its own reports the number of suppressed
    // lines.
    flood(client_at("192.0.2.2"), 1);
    ASSERT_EQ(lines.size(), 22U);
    EXPECT_EQ(lines[20], "980 lines were left out, because clients cause too many");
    EXPECT_EQ(lines[21], "noise");
    // The limit grows by one line per second.
    time.advance(std::chrono::seconds(3));
    flood(client_at("192.0.2.1"), 10);
    EXPECT_EQ(lines.size(), 25U);
    core.report_suppressed();
    ASSERT_EQ(lines.size(), 26U);
    EXPECT_EQ(lines.back(), "7 lines were left out, because clients cause too many");
    core.report_suppressed();
    EXPECT_EQ(lines.size(), 26U);
}

TEST_F(LogTest, lines_of_all_clients_are_limited) {
    for (int i = 0; i < 1000; ++i) flood(client_at("192.0.2." + std::to_string(i)), 2);
    EXPECT_EQ(lines.size(), 200U);
    EXPECT_EQ(core.limits().read().log_suppressed, 1800U);
}

TEST_F(LogTest, clients_are_identified_by_identity_before_address) {
    auto ada = client_at("192.0.2.1");
    ada.identity = "ada";
    flood(ada, 30);
    EXPECT_EQ(lines.size(), 20U);
    ada.address = "192.0.2.2";
    flood(ada, 30);
    EXPECT_EQ(lines.size(), 20U);
    flood(client_at("192.0.2.1"), 1);
    EXPECT_EQ(lines.back(), "noise");
}

TEST_F(LogTest, lines_of_the_server_itself_are_not_limited) {
    for (int i = 0; i < 1000; ++i) core.log(LoggingLevel::warning, "important");
    EXPECT_EQ(lines.size(), 1000U);
    EXPECT_EQ(core.limits().read().log_suppressed, 0U);
}

TEST_F(LogTest, lines_that_are_not_written_are_not_counted) {
    ServerCore quiet{Implementation{.name = "test", .version = "1"}, ServerOptions().time(time)};
    for (int i = 0; i < 100; ++i) quiet.log(LoggingLevel::info, client_at("192.0.2.1"), "detail");
    EXPECT_EQ(quiet.limits().read().log_suppressed, 0U);
}

}  // namespace
}  // namespace lanyard::server

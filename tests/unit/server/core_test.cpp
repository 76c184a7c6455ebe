// What sessions share by way of the core.
#include "server/core.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/metadata.hpp"

namespace lanyard::server {
namespace {

ClientFacts client(std::string name) {
    ClientFacts facts;
    facts.info.name = std::move(name);
    return facts;
}

class CoreTest : public ::testing::Test {
protected:
    ServerCore core{Implementation{.name = "test", .version = "1"}, ServerOptions()};
};

TEST_F(CoreTest, clients_that_say_the_same_of_themselves_share_it) {
    auto const one = core.share(client("one"));
    EXPECT_EQ(one->info.name, "one");
    EXPECT_NE(core.share(client("other")), one);
    EXPECT_EQ(core.share(client("one")), one);
}

TEST_F(CoreTest, clients_that_came_lately_are_remembered) {
    auto const first = core.share(client("first"));
    auto const second = core.share(client("second"));
    std::vector<std::shared_ptr<ClientFacts const>> others;
    for (int i = 0; i < 14; ++i) others.push_back(core.share(client(std::to_string(i))));
    EXPECT_EQ(core.share(client("first")), first) << "and is the latest now";
    others.push_back(core.share(client("one more")));
    EXPECT_EQ(core.share(client("first")), first);
    EXPECT_NE(core.share(client("second")), second);
}

TEST_F(CoreTest, a_client_that_is_gone_is_not_kept) {
    std::weak_ptr<ClientFacts const> const gone = core.share(client("gone"));
    EXPECT_TRUE(gone.expired());
    EXPECT_EQ(core.share(client("gone"))->info.name, "gone");
}

TEST_F(CoreTest, what_is_offered_is_one_copy_until_it_changes) {
    auto const before = core.shared_capabilities();
    EXPECT_EQ(*before, core.capabilities());
    EXPECT_EQ(core.shared_capabilities(), before);
    core.change([](Settings& settings) { settings.experimental["x"] = Json(JsonObject()); });
    auto const after = core.shared_capabilities();
    EXPECT_NE(after, before);
    EXPECT_EQ(*after, core.capabilities());
}

}  // namespace
}  // namespace lanyard::server

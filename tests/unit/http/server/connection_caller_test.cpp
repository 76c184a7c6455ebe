// The callers of a connection: verifiers, and the limits of one caller.
#include "unit/http/server/connection_fixture.hpp"

namespace lanyard::http {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_F(ConnectionTest, passes_the_principal_to_the_handler) {
    Doorman doorman;
    open(&doorman);
    receive(post("{}", "Authorization: Bearer ada\r\n") +
            post("{}", "Authorization: Bearer bob\r\n"));
    EXPECT_THAT(handler_.principals, ElementsAre("ada", "bob"));
}

TEST_F(ConnectionTest, answers_unknown_callers_with_401) {
    Doorman doorman;
    open(&doorman);
    receive(post("{}") + post("{}", "Authorization: Basic ada\r\n") +
            post("{}", "Authorization: Bearer stranger\r\n") +
            post("{}", "Authorization: Bearer ada\r\n"));
    auto const text = sent();
    EXPECT_THAT(text,
                AllOf(StartsWith("HTTP/1.1 401 "), HasSubstr("WWW-Authenticate: Bearer\r\n"),
                      HasSubstr("HTTP/1.1 403 "),
                      HasSubstr("WWW-Authenticate: Bearer error=\"scope\"\r\n"), EndsWith("ok")));
    EXPECT_THAT(handler_.principals, ElementsAre("ada"));
}

TEST_F(ConnectionTest, S37_refuses_requests_if_the_verifier_fails) {
    Doorman doorman;
    open(&doorman);
    receive(post("{}", "Authorization: Bearer broken\r\n"));
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(handler_.bodies, IsEmpty());
}

TEST_F(ConnectionTest, waits_for_a_slow_verifier) {
    Doorman doorman;
    open(&doorman);
    auto const request = post("first", "Authorization: Bearer later\r\n");
    receive(request.substr(0, request.size() - 2));
    receive("st" + post("second", "Authorization: Bearer ada\r\n"));
    EXPECT_THAT(host_.asked, ElementsAre("later"));
    EXPECT_THAT(handler_.bodies, IsEmpty());
    EXPECT_EQ(connection_->tick(time_.now()), Connection::Due::nothing);
    auto principal = std::make_shared<Principal>();
    principal->subject = "bob";
    connection_->on_verification(Verification::accept(principal), time_.now());
    EXPECT_THAT(handler_.bodies, ElementsAre("first", "second"));
    EXPECT_THAT(handler_.principals, ElementsAre("bob", "ada"));
    connection_->on_verification(Verification::refuse(),
                                 time_.now());  // without a pending verification
}

TEST_F(ConnectionTest, refuses_after_a_slow_verification) {
    Doorman doorman;
    open(&doorman);
    receive(post("x", "Authorization: Bearer later\r\nExpect: 100-continue\r\n"));
    connection_->on_verification(Verification::refuse("error=\"invalid_token\""), time_.now());
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(handler_.bodies, IsEmpty());
    open(&doorman);
    receive(post("x", "Authorization: Bearer later\r\n"));
    connection_->end_of_input();
    EXPECT_TRUE(connection_->ending());
    connection_->on_verification(Verification::refuse(), time_.now());
    EXPECT_EQ(sent(), "");
}

TEST_F(ConnectionTest, limits_the_pending_requests_of_one_caller) {
    Doorman doorman;
    limits_.max_requests_per_principal = 1;
    open(&doorman);
    Reply* reply = nullptr;
    keep_next(reply);
    receive(post("{}", "Authorization: Bearer ada\r\n"));
    Connection other(*shared_, host_, "192.0.2.1:2");
    other.receive(post("{}", "Authorization: Bearer ada\r\n"), time_.now());
    EXPECT_THAT(std::string(other.output()),
                AllOf(StartsWith("HTTP/1.1 429 "), HasSubstr("Retry-After: 1\r\n")));
    reply->whole({});
    other.receive(post("{}", "Authorization: Bearer ada\r\n"), time_.now());
    EXPECT_THAT(std::string(other.output()), EndsWith("ok"));
}

TEST(PrincipalCounts, drop_principals_without_requests) {
    PrincipalCounts counts;
    Principal principal;
    principal.subject = "kept";
    auto const kept = counts.slot_of(principal);
    for (int i = 0; i < 10'000; ++i) {
        principal.subject = std::to_string(i);
        counts.slot_of(principal);
    }
    EXPECT_LT(counts.size(), 300u);
    principal.subject = "kept";
    EXPECT_EQ(counts.slot_of(principal), kept);
}

TEST(PrincipalCounts, add_the_requests_of_all_loops) {
    PrincipalCounts counts(2);
    Principal principal;
    principal.subject = "ada";
    auto const here = counts.slot_of(principal, 0);
    auto const there = counts.slot_of(principal, 1);
    for (int i = 0; i < 3; ++i) here.add();
    EXPECT_FALSE(here.full(4));
    there.add();
    EXPECT_TRUE(here.full(4));
    EXPECT_FALSE(here.full(5));
    // The other loop is below its share of two, so it does not read the counter of this loop.
    EXPECT_FALSE(there.full(4));
    there.add();
    EXPECT_TRUE(there.full(4));
    here.remove();
    here.remove();
    EXPECT_FALSE(there.full(4));
}

TEST(ConnectionCounts, limit_all_connections_and_those_of_an_address) {
    auto const counts = std::make_shared<ConnectionCounts>(3, 2);
    auto first = counts->add("192.0.2.1");
    auto const second = counts->add("192.0.2.1");
    EXPECT_TRUE(first);
    EXPECT_TRUE(second);
    EXPECT_FALSE(counts->add("192.0.2.1"));
    auto const third = counts->add("192.0.2.2");
    EXPECT_TRUE(third);
    EXPECT_FALSE(counts->add("192.0.2.3"));
    auto moved = std::move(first);
    EXPECT_FALSE(counts->add("192.0.2.1"));
    moved.leave();
    EXPECT_TRUE(counts->add("192.0.2.1"));
}

}  // namespace
}  // namespace lanyard::http

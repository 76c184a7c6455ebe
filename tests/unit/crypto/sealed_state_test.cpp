// Sealed state: text that was sealed can be opened; anything else is refused.
#include "crypto/sealed_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lanyard/base64.hpp"
#include "unit/crypto/scripted_random.hpp"

namespace lanyard::crypto {
namespace {

using namespace std::chrono_literals;

constexpr WallTime noon{1'800'000'000'000ms};

Result<std::string, OpenError> failure(OpenError error) {
    return Unexpected(error);
}

bool operator==(Result<std::string, OpenError> const& a, Result<std::string, OpenError> const& b) {
    return a ? b && *a == *b : !b && a.error() == b.error();
}

std::string describe(Result<std::string, OpenError> const& result) {
    return result ? "opened: " + *result : std::string(to_string(result.error()));
}

class SealedStateTest : public testing::Test {
protected:
    std::string open(std::string_view token, std::string_view data = "alice",
                     WallTime now = noon) const {
        return describe(state_.open(token, data, now));
    }
    std::string seal(std::string_view payload = "payload", std::string_view data = "alice") const {
        return state_.seal(payload, data, noon + 5min);
    }

    KeyRing keys_{"first secret"};
    SealedState state_{keys_, system_random()};
};

TEST_F(SealedStateTest, opens_its_own_tokens) {
    EXPECT_EQ(open(seal()), "opened: payload");
    EXPECT_EQ(open(seal("")), "opened: ");
    std::string const binary("\0\xff\n{}", 5);
    EXPECT_EQ(open(seal(binary)), "opened: " + binary);
}

TEST_F(SealedStateTest, a_token_is_visible_ascii_and_hides_the_payload) {
    auto const token = seal("the payload of this token");
    EXPECT_TRUE(std::ranges::all_of(
        token, [](char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; }));
    auto const raw = base64::decode(token, base64::Form::url).value();
    EXPECT_EQ(raw.find("payload"), std::string::npos);
}

TEST_F(SealedStateTest, refuses_every_flipped_bit_of_the_token) {
    auto const token = seal();
    for (std::size_t bit = 0; bit < token.size() * 8; ++bit) {
        auto changed = token;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        EXPECT_FALSE(state_.open(changed, "alice", noon)) << "bit " << bit;
    }
}

TEST_F(SealedStateTest, refuses_every_flipped_bit_of_the_sealed_bytes_with_the_reason) {
    auto const sealed = keys_.seal("payload", "alice", system_random());
    for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
        auto changed = sealed;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        auto const expected = bit < 8        ? OpenError::malformed
                              : bit < 8 + 64 ? OpenError::unknown_key
                                             : OpenError::tampered;
        EXPECT_TRUE(keys_.open(changed, "alice") == failure(expected)) << "bit " << bit;
    }
}

TEST_F(SealedStateTest, refuses_every_truncation) {
    auto const token = seal();
    for (std::size_t size = 0; size < token.size(); ++size) {
        EXPECT_FALSE(state_.open(token.substr(0, size), "alice", noon)) << size;
    }
    EXPECT_EQ(open(""), "malformed");
    EXPECT_EQ(open("AQ"), "malformed");
    EXPECT_EQ(open("not base64url!"), "malformed");
    EXPECT_EQ(open(token + "="), "malformed");
}

TEST_F(SealedStateTest, refuses_other_associated_data) {
    auto const token = seal();
    EXPECT_EQ(open(token, "mallory"), "tampered");
    EXPECT_EQ(open(token, ""), "tampered");
    EXPECT_EQ(open(token, "alice "), "tampered");
}

TEST_F(SealedStateTest, is_valid_until_the_millisecond_before_the_expiry) {
    auto const token = state_.seal("payload", "alice", noon);
    EXPECT_EQ(open(token, "alice", noon - 1ms), "opened: payload");
    EXPECT_EQ(open(token, "alice", noon), "expired");
    EXPECT_EQ(open(token, "alice", noon + 1ms), "expired");
    EXPECT_EQ(open(token, "mallory", noon), "tampered");
}

TEST_F(SealedStateTest, keeps_any_expiry_exactly) {
    for (auto const expiry :
         {WallTime::min() + 1ms, WallTime(-1ms), WallTime(0ms), WallTime::max()}) {
        auto const token = state_.seal("payload", "", expiry);
        EXPECT_EQ(open(token, "", expiry - 1ms), "opened: payload");
        EXPECT_EQ(open(token, "", expiry), "expired");
    }
}

TEST_F(SealedStateTest, refuses_sealed_bytes_that_are_no_state) {
    auto const sealed = keys_.seal("short", "alice", system_random());
    EXPECT_EQ(open(base64::encode(sealed, base64::Form::url)), "malformed");
}

TEST_F(SealedStateTest, replicas_with_the_same_secret_open_each_others_tokens) {
    KeyRing const other_keys("first secret");
    EXPECT_EQ(describe(SealedState(other_keys, system_random()).open(seal(), "alice", noon)),
              "opened: payload");
    KeyRing const stranger("other secret");
    EXPECT_EQ(describe(SealedState(stranger, system_random()).open(seal(), "alice", noon)),
              "unknown key");
}

TEST_F(SealedStateTest, the_same_random_bytes_give_the_same_token) {
    test::ScriptedRandom one("nonce source");
    test::ScriptedRandom two("nonce source");
    EXPECT_EQ(SealedState(keys_, one).seal("payload", "alice", noon),
              SealedState(keys_, two).seal("payload", "alice", noon));
}

TEST(KeyRing, seals_with_the_newest_key_and_opens_with_any) {
    KeyRing ring("old");
    auto const old_token = ring.seal("payload", "", system_random());
    ring.rotate("new");
    auto const new_token = ring.seal("payload", "", system_random());
    EXPECT_EQ(ring.size(), 2U);
    EXPECT_EQ(ring.open(old_token, "").value(), "payload");
    EXPECT_EQ(ring.open(new_token, "").value(), "payload");
    EXPECT_EQ(KeyRing("new").open(new_token, "").value(), "payload");
    EXPECT_EQ(KeyRing("old").open(new_token, "").error(), OpenError::unknown_key);
}

TEST(KeyRing, rotating_to_an_existing_key_makes_it_the_newest) {
    KeyRing ring("one");
    ring.rotate("two");
    ring.rotate("one");
    EXPECT_EQ(ring.size(), 2U);
    auto const token = ring.seal("payload", "", system_random());
    EXPECT_EQ(KeyRing("one").open(token, "").value(), "payload");
}

TEST(KeyRing, a_random_ring_opens_only_its_own_tokens) {
    KeyRing const ring(system_random());
    auto const token = ring.seal("payload", "", system_random());
    EXPECT_EQ(ring.open(token, "").value(), "payload");
    EXPECT_EQ(KeyRing(system_random()).open(token, "").error(), OpenError::unknown_key);
}

TEST(OpenError, has_a_name_for_logs) {
    EXPECT_EQ(to_string(OpenError::malformed), "malformed");
    EXPECT_EQ(to_string(OpenError::unknown_key), "unknown key");
    EXPECT_EQ(to_string(OpenError::tampered), "tampered");
    EXPECT_EQ(to_string(OpenError::expired), "expired");
    EXPECT_EQ(to_string(static_cast<OpenError>(99)), "malformed");
}

}  // namespace
}  // namespace lanyard::crypto

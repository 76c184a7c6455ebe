#include "lanyard/auth/verifier.hpp"

#include <gmock/gmock.h>

#include "auth/credentials.hpp"
#include "auth/instant_verifier.hpp"

namespace lanyard {
namespace {

using ::testing::HasSubstr;

Credentials with_token(std::string_view token) {
    Credentials credentials;
    credentials.bearer = token;
    return credentials;
}

std::optional<Verification> verify_now(Verifier& verifier, Credentials const& credentials) {
    return dynamic_cast<auth::InstantVerifier&>(verifier).verify_now(credentials);
}

TEST(BearerToken, is_read_from_the_authorization_header) {
    EXPECT_EQ(auth::bearer_of("Bearer abc"), "abc");
    EXPECT_EQ(auth::bearer_of("bearer   a-b._~+/=="), "a-b._~+/==");
}

TEST(BearerToken, is_empty_for_other_schemes) {
    for (auto const text : {"", "Bearer", "Bearer ", "Bearer a b", "Basic abc", "Bearerabc",
                            "Bearer ==", "Bearer a=b", "Bearer a,b", "Bearer \"a\""}) {
        EXPECT_EQ(auth::bearer_of(text), std::nullopt) << text;
    }
}

TEST(BearerTokens, find_the_principal_of_a_token) {
    auto const verifier =
        bearer_tokens({BearerToken("first").subject("ada"), BearerToken("second").subject("bob")});
    auto const verdict = verify_now(*verifier, with_token("second"));
    ASSERT_TRUE(verdict && verdict->accepted());
    EXPECT_EQ(verdict->principal()->subject, "bob");
}

TEST(BearerTokens, refuse_unknown_tokens) {
    auto const verifier = bearer_tokens({BearerToken("first").subject("ada")});
    for (auto const token : {"second", "firs", "firstt", "FIRST"}) {
        auto const verdict = verify_now(*verifier, with_token(token));
        ASSERT_TRUE(verdict);
        EXPECT_FALSE(verdict->accepted());
        EXPECT_FALSE(verdict->forbidden());
        EXPECT_EQ(verdict->parameters(), "error=\"invalid_token\"");
    }
}

TEST(BearerTokens, do_not_report_an_invalid_token_if_none_was_sent) {
    auto const verdict = verify_now(*bearer_tokens({BearerToken("first").subject("ada")}), {});
    ASSERT_TRUE(verdict);
    EXPECT_FALSE(verdict->accepted());
    EXPECT_EQ(verdict->parameters(), "");
}

TEST(BearerTokens, must_be_valid_header_values_and_distinct) {
    EXPECT_THROW(bearer_tokens({BearerToken("a b").subject("ada")}), Error);
    EXPECT_THROW(bearer_tokens({BearerToken("").subject("ada")}), Error);
    try {
        bearer_tokens({BearerToken("a").subject("ada"), BearerToken("a").subject("bob")});
        FAIL();
    } catch (Error const& error) {
        EXPECT_THAT(error.message(), HasSubstr("bob"));
        EXPECT_THAT(error.message(), ::testing::Not(HasSubstr("\"a\"")));
    }
}

TEST(BearerTokens, must_have_a_subject) {
    try {
        bearer_tokens({BearerToken("first")});
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::invalid_argument));
        EXPECT_THAT(error.message(), HasSubstr("no subject"));
        EXPECT_THAT(error.message(), ::testing::Not(HasSubstr("first")));
    }
}

TEST(ClientCertificates, name_the_principal) {
    Credentials credentials;
    EXPECT_FALSE(verify_now(*client_certificates(), credentials)->accepted());
    credentials.certificate = "CN=ada";
    EXPECT_EQ(verify_now(*client_certificates(), credentials)->principal()->subject, "CN=ada");
}

TEST(Principal, has_one_identity) {
    Principal ada;
    ada.subject = "ada";
    EXPECT_EQ(ada.identity(), "ada");
    ada.issuer = "https://a.example";
    ada.client_id = "x";
    auto other = ada;
    EXPECT_EQ(ada.identity(), other.identity());
    other.issuer = "https://a.example3:ada";
    other.subject = "";
    EXPECT_NE(ada.identity(), other.identity());
    // A subject cannot imitate the identity text of another principal.
    Principal imitator;
    imitator.subject = ada.identity();
    EXPECT_NE(ada.identity(), imitator.identity());
    imitator.subject = "42";
    EXPECT_EQ(imitator.identity(), "42");
}

}  // namespace
}  // namespace lanyard

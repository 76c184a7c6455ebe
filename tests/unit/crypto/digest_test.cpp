// SHA-256, HMAC and HKDF against the vectors of FIPS 180-4, RFC 4231 and RFC 5869.
#include "crypto/digest.hpp"

#include <gtest/gtest.h>

#include "crypto/openssl.hpp"
#include "lanyard/error.hpp"
#include "support/hex.hpp"

namespace lanyard::crypto {
namespace {

std::string bytes(std::string_view hex) {
    return test::from_hex(hex);
}

std::string repeat(char c, std::size_t count) {
    return std::string(count, c);
}

constexpr auto empty_digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr auto abc_digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr auto million_digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, gives_the_published_digests) {
    EXPECT_EQ(to_hex(sha256("")), empty_digest);
    EXPECT_EQ(to_hex(sha256("abc")), abc_digest);
    EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(to_hex(sha256(repeat('a', 1'000'000))), million_digest);
}

TEST(Sha256, pieces_of_any_size_give_the_digest_of_the_whole) {
    auto const text = repeat('a', 1'000'000);
    for (std::size_t const piece : {1UL, 63UL, 64UL, 65UL, 999'999UL}) {
        Sha256 hash;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            hash.update(std::string_view(text).substr(at, piece));
        }
        EXPECT_EQ(to_hex(hash.finish()), million_digest) << piece;
    }
}

TEST(Sha256, can_be_reused_after_finish) {
    Sha256 hash;
    EXPECT_EQ(to_hex(hash.update("other").update(" text").finish()), to_hex(sha256("other text")));
    EXPECT_EQ(to_hex(hash.update("abc").finish()), abc_digest);
    EXPECT_EQ(to_hex(hash.finish()), empty_digest);
}

TEST(HmacSha256, gives_the_vectors_of_rfc_4231) {
    EXPECT_EQ(to_hex(hmac_sha256(repeat('\x0b', 20), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(to_hex(hmac_sha256(repeat('\xaa', 20), repeat('\xdd', 50))),
              "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    EXPECT_EQ(to_hex(hmac_sha256(bytes("0102030405060708090a0b0c0d0e0f10111213141516171819"),
                                 repeat('\xcd', 50))),
              "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    EXPECT_EQ(to_hex(hmac_sha256(repeat('\x0c', 20), "Test With Truncation")).substr(0, 32),
              "a3b6167473100ee06e0c796c2955552b");
    EXPECT_EQ(to_hex(hmac_sha256(repeat('\xaa', 131),
                                 "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    EXPECT_EQ(to_hex(hmac_sha256(repeat('\xaa', 131),
                                 "This is a test using a larger than block-size key and a larger "
                                 "than block-size data. The key needs to be hashed before being "
                                 "used by the HMAC algorithm.")),
              "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(HmacSha256, accepts_an_empty_key_and_empty_data) {
    EXPECT_EQ(to_hex(hmac_sha256("", "")),
              "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
    EXPECT_EQ(to_hex(hmac_sha256(std::string_view(), "")), to_hex(hmac_sha256("", "")));
}

TEST(HkdfSha256, gives_the_vectors_of_rfc_5869) {
    EXPECT_EQ(to_hex(hkdf_sha256(repeat('\x0b', 22), bytes("000102030405060708090a0b0c"),
                                 bytes("f0f1f2f3f4f5f6f7f8f9"), 42)),
              "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
              "34007208d5b887185865");
    EXPECT_EQ(to_hex(hkdf_sha256(repeat('\x0b', 22), "", "", 42)),
              "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
              "9d201395faa4b61a96c8");
}

TEST(HkdfSha256, a_longer_output_begins_with_the_shorter_one) {
    auto const all = hkdf_sha256("secret", "salt", "info", 255 * 32);
    EXPECT_EQ(all.size(), 255U * 32U);
    for (std::size_t const size : {0UL, 1UL, 32UL, 33UL, 4096UL}) {
        EXPECT_EQ(hkdf_sha256("secret", "salt", "info", size), all.substr(0, size));
    }
    EXPECT_NE(hkdf_sha256("secret", "salt", "other", 32), all.substr(0, 32));
}

TEST(OpenSsl, a_failed_call_becomes_an_error_with_its_name) {
    EXPECT_NO_THROW(require(true, "EVP_Digest"));
    try {
        require(false, "EVP_Digest");
        FAIL();
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::failed));
        EXPECT_EQ(error.message(), "OpenSSL: EVP_Digest");
    }
}

}  // namespace
}  // namespace lanyard::crypto

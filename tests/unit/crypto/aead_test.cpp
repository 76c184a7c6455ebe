// AES-256-GCM: test vectors of the GCM submission to NIST, and refusal of any modified input.
#include "crypto/aead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "crypto/bytes.hpp"
#include "crypto/digest.hpp"
#include "lanyard/error.hpp"
#include "support/hex.hpp"
#include "unit/crypto/scripted_random.hpp"

namespace lanyard::crypto {
namespace {

std::string bytes(std::string_view hex) {
    return test::from_hex(hex);
}

Key key_of(std::string_view hex) {
    std::array<std::byte, Key::size> raw;
    std::ranges::transform(bytes(hex), raw.begin(), [](char c) { return std::byte(c); });
    return Key(raw);
}

struct Vector {
    std::string_view key, nonce, plaintext, associated_data, ciphertext, tag;
};

constexpr std::array vectors{
    Vector{"0000000000000000000000000000000000000000000000000000000000000000",
           "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    Vector{"0000000000000000000000000000000000000000000000000000000000000000",
           "000000000000000000000000", "00000000000000000000000000000000", "",
           "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
    Vector{
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24"
        "49a6b525b16aedf5aa0de657ba637b39",
        "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b10"
        "56828838c5f61e6393ba7a0abcc9f662",
        "76fc6ece0f4e1768cddf8853bb2d551b"},
};

TEST(Aead, gives_the_published_ciphertexts_and_opens_them) {
    for (auto const& vector : vectors) {
        test::ScriptedRandom nonce(bytes(vector.nonce));
        auto const key = key_of(vector.key);
        auto const sealed =
            seal(key, bytes(vector.plaintext), bytes(vector.associated_data), nonce);
        EXPECT_EQ(to_hex(sealed), std::string(vector.nonce) + std::string(vector.ciphertext) +
                                      std::string(vector.tag));
        EXPECT_EQ(sealed.size(), bytes(vector.plaintext).size() + seal_overhead);
        EXPECT_EQ(open(key, sealed, bytes(vector.associated_data)), bytes(vector.plaintext));
    }
}

TEST(Aead, refuses_every_flipped_bit) {
    auto const key = Key::generate(system_random());
    auto const sealed = seal(key, "plaintext", "associated", system_random());
    for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
        auto changed = sealed;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        EXPECT_EQ(open(key, changed, "associated"), std::nullopt) << "bit " << bit;
    }
}

TEST(Aead, refuses_every_truncation_and_an_extension) {
    auto const key = Key::generate(system_random());
    auto const sealed = seal(key, "plaintext", "", system_random());
    for (std::size_t size = 0; size < sealed.size(); ++size) {
        EXPECT_EQ(open(key, sealed.substr(0, size), ""), std::nullopt) << size;
    }
    EXPECT_EQ(open(key, sealed + '\0', ""), std::nullopt);
}

TEST(Aead, refuses_other_associated_data_and_another_key) {
    auto const key = Key::generate(system_random());
    auto const sealed = seal(key, "plaintext", "associated", system_random());
    EXPECT_EQ(open(key, sealed, "associated"), "plaintext");
    EXPECT_EQ(open(key, sealed, "associateD"), std::nullopt);
    EXPECT_EQ(open(key, sealed, ""), std::nullopt);
    EXPECT_EQ(open(Key::generate(system_random()), sealed, "associated"), std::nullopt);
}

TEST(Aead, sealing_twice_gives_different_bytes) {
    auto const key = Key::generate(system_random());
    EXPECT_NE(seal(key, "same", "", system_random()), seal(key, "same", "", system_random()));
}

TEST(Aead, refuses_sizes_that_openssl_cannot_count) {
    auto const key = Key::generate(system_random());
    // Only the size is read, not the bytes.
    std::string_view const huge(reinterpret_cast<char const*>(&key), std::size_t{INT_MAX} + 1);
    EXPECT_EQ(open(key, huge, ""), std::nullopt);
    auto const sealed = seal(key, "", "", system_random());
    EXPECT_EQ(open(key, sealed, huge), std::nullopt);
    EXPECT_THROW(seal(key, huge, "", system_random()), Error);
    EXPECT_THROW(seal(key, "", huge, system_random()), Error);
}

TEST(Key, derivation_depends_on_secret_and_purpose) {
    auto const text = [](Key const& key) { return to_hex(std::span(key.data(), Key::size)); };
    EXPECT_EQ(text(Key::derive("secret", "a")), to_hex(hkdf_sha256("secret", "", "a", 32)));
    EXPECT_NE(text(Key::derive("secret", "a")), text(Key::derive("secret", "b")));
    EXPECT_NE(text(Key::derive("secret", "a")), text(Key::derive("Secret", "a")));
}

TEST(Key, generation_takes_its_bytes_from_the_random_source) {
    test::ScriptedRandom random("0123456789abcdef");
    auto const key = Key::generate(random);
    EXPECT_EQ(as_characters(std::span(key.data(), Key::size)), "0123456789abcdef0123456789abcdef");
}

}  // namespace
}  // namespace lanyard::crypto

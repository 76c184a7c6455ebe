// Authenticated encryption: AES-256-GCM (NIST SP 800-38D) with random nonces.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <lanyard/clock.hpp>

namespace lanyard::crypto {

/// A 256-bit key, wiped from memory at the end of its life.
class Key {
public:
    static constexpr std::size_t size = 32;

    explicit Key(std::array<std::byte, size> const& bytes) noexcept : bytes_(bytes) {}
    Key(Key const&) = default;
    Key& operator=(Key const&) = default;
    ~Key();

    /// A new random key.
    static Key generate(Random& random);
    /// The key that a secret of any length stands for; the purpose keeps uses of one secret apart.
    static Key derive(std::string_view secret, std::string_view purpose);

    std::byte const* data() const noexcept { return bytes_.data(); }

private:
    std::array<std::byte, size> bytes_;
};

/// How much longer sealed data is than the plaintext: 12 bytes of nonce and 16 of tag.
inline constexpr std::size_t seal_overhead = 28;

/// Encrypts, and authenticates the plaintext together with associated data that is not part of the
/// result. Returns nonce, ciphertext and tag.
///
/// Random 96-bit nonces are safe for 2^32 messages under one key; rotate keys before that.
std::string seal(Key const& key, std::string_view plaintext, std::string_view associated_data,
                 Random& random);

/// The plaintext, if the data was sealed with this key and this associated data and is unchanged.
std::optional<std::string> open(Key const& key, std::string_view sealed,
                                std::string_view associated_data);

}  // namespace lanyard::crypto

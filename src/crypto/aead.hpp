// Authenticated encryption: AES-256-GCM (NIST SP 800-38D) with random nonces.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lanyard/clock.hpp"

namespace lanyard::crypto {

/// A 256-bit key, wiped from memory by its destructor.
class Key {
public:
    static constexpr std::size_t size = 32;

    explicit Key(std::array<std::byte, size> const& bytes) noexcept : bytes_(bytes) {}
    Key(Key const&) = default;
    Key& operator=(Key const&) = default;
    ~Key();

    /// A new random key.
    static Key generate(Random& random);
    /// Derives a key from a secret of any length; different purposes give independent keys.
    static Key derive(std::string_view secret, std::string_view purpose);

    std::byte const* data() const noexcept { return bytes_.data(); }

private:
    std::array<std::byte, size> bytes_;
};

/// The number of bytes by which sealed data exceeds the plaintext: 12 for the nonce, 16 for the
/// tag.
inline constexpr std::size_t seal_overhead = 28;

/// Encrypts the plaintext, and authenticates it together with the associated data, which is not
/// part of the result. Returns nonce, ciphertext and tag.
///
/// Random 96-bit nonces are safe for 2^32 messages under one key; rotate keys before that.
std::string seal(Key const& key, std::string_view plaintext, std::string_view associated_data,
                 Random& random);

/// Returns the plaintext. Returns nullopt if the data was changed, or if it was sealed with a
/// different key or different associated data.
std::optional<std::string> open(Key const& key, std::string_view sealed,
                                std::string_view associated_data);

}  // namespace lanyard::crypto

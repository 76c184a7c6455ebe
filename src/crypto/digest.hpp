// SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104) and HKDF-SHA-256 (RFC 5869).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "crypto/bytes.hpp"
#include "crypto/openssl.hpp"

namespace lanyard::crypto {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::string_view data);

/// SHA-256 of data that arrives in pieces.
class Sha256 {
public:
    Sha256();

    Sha256& update(std::string_view data);
    /// Returns the digest of all data since the construction or the previous call of finish().
    Digest finish();

private:
    DigestContext context_;
};

Digest hmac_sha256(std::string_view key, std::string_view data);

/// Derives `size` bytes (at most 255 * 32) from a secret. Different values of `info` give
/// independent bytes.
std::string hkdf_sha256(std::string_view secret, std::string_view salt, std::string_view info,
                        std::size_t size);

}  // namespace lanyard::crypto

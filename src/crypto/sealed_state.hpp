// State that a peer stores and sends back later: encrypted, bound to its context, with an expiry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/result.hpp>

#include "crypto/aead.hpp"

namespace lanyard::crypto {

/// Why a token was refused. For logs only: the peer must learn only that the token was refused.
enum class OpenError {
    malformed,    ///< Not a token, or a token of another version.
    unknown_key,  ///< Sealed with a key that is not in the ring.
    tampered,     ///< Modified, or not sealed with the same associated data.
    expired,      ///< Genuine, but too old.
};

std::string_view to_string(OpenError error) noexcept;

/// The keys that the replicas of a server share. Only the newest key seals, but every key opens. So
/// a key can be replaced while tokens sealed with the previous key are still in use. Sealed bytes:
/// version (1 byte), key id (8), nonce (12), ciphertext, tag (16). Version and key id are
/// authenticated too.
class KeyRing {
public:
    /// Makes a ring of one random key that exists in this process only.
    explicit KeyRing(Random& random);
    /// Makes a ring of one key, derived from a secret of any length that the replicas share.
    explicit KeyRing(std::string_view secret);

    /// Adds the key derived from this secret as the newest. If the ring already has that key, it
    /// becomes the newest.
    void rotate(std::string_view secret);
    std::size_t size() const noexcept { return entries_.size(); }

    std::string seal(std::string_view plaintext, std::string_view associated_data,
                     Random& random) const;
    Result<std::string, OpenError> open(std::string_view sealed,
                                        std::string_view associated_data) const;

private:
    struct Entry {
        std::string id;
        Key key;
    };
    static Entry entry_of(std::string_view secret);

    std::vector<Entry> entries_;  // newest last
};

/// Seals state into a token of visible ASCII and opens it again. The associated data describes the
/// context in which the token is valid (which principal, method and arguments). It is not part of
/// the token; opening needs exactly the same bytes.
class SealedState {
public:
    /// The ring and the random source must outlive this object.
    SealedState(KeyRing const& keys, Random& random) noexcept : keys_(&keys), random_(&random) {}

    /// Returns a token that is valid until `expiry`.
    std::string seal(std::string_view payload, std::string_view associated_data,
                     WallTime expiry) const;
    /// Returns the payload, or the reason for the refusal; OpenError::expired if `now` is not
    /// before the expiry.
    Result<std::string, OpenError> open(std::string_view token, std::string_view associated_data,
                                        WallTime now) const;

private:
    KeyRing const* keys_;
    Random* random_;
};

}  // namespace lanyard::crypto

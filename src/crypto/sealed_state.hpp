// State handed to a peer and taken back later: encrypted, bound to its circumstances, expiring.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lanyard/clock.hpp>
#include <lanyard/result.hpp>

#include "crypto/aead.hpp"

namespace lanyard::crypto {

/// Why a token was refused. For logs: a peer is told no more than that it was.
enum class OpenError {
    malformed,    ///< Not a token at all, or of another version.
    unknown_key,  ///< Sealed with a key that is not in the ring.
    tampered,     ///< Changed, or presented with other associated data than it was sealed with.
    expired,      ///< Genuine, but too old.
};

std::string_view to_string(OpenError error) noexcept;

/// The keys that replicas share. The newest one seals, all of them open, so a key can be replaced
/// while tokens sealed with the one before are still under way.
///
/// Sealed bytes: version (1 byte), key id (8), nonce (12), ciphertext, tag (16). Version and key id
/// are authenticated too.
class KeyRing {
public:
    /// A ring of one key that only this process knows.
    explicit KeyRing(Random& random);
    /// A ring of one key, derived from a secret of any length that replicas share.
    explicit KeyRing(std::string_view secret);

    /// Adds the key of this secret as the newest. One that is there already moves to the front.
    void rotate(std::string_view secret);
    /// Forgets all but the newest `count` keys; at least one stays.
    void keep_newest(std::size_t count);
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

/// Seals state into a token of visible ASCII and opens it again. The associated data names the
/// circumstances under which the token is good (who, for which method, with which arguments): it is
/// not in the token, and opening needs the very same bytes.
class SealedState {
public:
    /// The ring and the random source must outlive this object.
    SealedState(KeyRing const& keys, Random& random) noexcept : keys_(&keys), random_(&random) {}

    /// A token that is good before `expiry`.
    std::string seal(std::string_view payload, std::string_view associated_data,
                     WallTime expiry) const;
    /// The payload; from the expiry on, OpenError::expired.
    Result<std::string, OpenError> open(std::string_view token, std::string_view associated_data,
                                        WallTime now) const;

private:
    KeyRing const* keys_;
    Random* random_;
};

}  // namespace lanyard::crypto

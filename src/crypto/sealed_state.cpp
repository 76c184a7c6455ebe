#include "crypto/sealed_state.hpp"

#include <algorithm>
#include <array>

#include "crypto/bytes.hpp"
#include "crypto/digest.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::crypto {

namespace {

constexpr char version = 1;
constexpr std::size_t key_id_size = 8;
constexpr std::size_t header_size = 1 + key_id_size;
constexpr std::size_t expiry_size = 8;

// Returns the header followed by the caller's associated data. The header has a fixed size, so no
// two pairs of header and data give the same bytes.
std::string authenticated(std::string_view header, std::string_view associated_data) {
    std::string bytes;
    bytes.reserve(header.size() + associated_data.size());
    return bytes.append(header).append(associated_data);
}

void append_big_endian(std::string& out, std::int64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

std::int64_t read_big_endian(std::string_view bytes) noexcept {
    std::uint64_t value = 0;
    for (char const c : bytes) value = value << 8 | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
}

}  // namespace

std::string_view to_string(OpenError error) noexcept {
    switch (error) {
        case OpenError::malformed:
            return "malformed";
        case OpenError::unknown_key:
            return "unknown key";
        case OpenError::tampered:
            return "tampered";
        case OpenError::expired:
            return "expired";
    }
    return "malformed";
}

KeyRing::KeyRing(Random& random) {
    std::array<std::byte, Key::size> secret;
    random.fill(secret);
    rotate(as_characters(secret));
}

KeyRing::KeyRing(std::string_view secret) {
    rotate(secret);
}

KeyRing::Entry KeyRing::entry_of(std::string_view secret) {
    // Both the id and the key are derived from the secret. So all replicas compute the same id, and
    // the id reveals nothing about the key.
    return {hkdf_sha256(secret, "", "lanyard sealing key id", key_id_size),
            Key::derive(secret, "lanyard sealing key")};
}

void KeyRing::rotate(std::string_view secret) {
    auto entry = entry_of(secret);
    std::erase_if(entries_, [&](Entry const& old) { return old.id == entry.id; });
    entries_.push_back(std::move(entry));
}

std::string KeyRing::seal(std::string_view plaintext, std::string_view associated_data,
                          Random& random) const {
    auto const& newest = entries_.back();
    auto const header = version + newest.id;
    return header +
           crypto::seal(newest.key, plaintext, authenticated(header, associated_data), random);
}

Result<std::string, OpenError> KeyRing::open(std::string_view sealed,
                                             std::string_view associated_data) const {
    if (sealed.size() < header_size + seal_overhead || sealed[0] != version) {
        return Unexpected(OpenError::malformed);
    }
    auto const header = sealed.substr(0, header_size);
    auto const entry = std::ranges::find(entries_, header.substr(1), &Entry::id);
    if (entry == entries_.end()) return Unexpected(OpenError::unknown_key);
    auto plaintext = crypto::open(entry->key, sealed.substr(header_size),
                                  authenticated(header, associated_data));
    if (!plaintext) return Unexpected(OpenError::tampered);
    return *std::move(plaintext);
}

std::string SealedState::seal(std::string_view payload, std::string_view associated_data,
                              WallTime expiry) const {
    std::string plaintext;
    plaintext.reserve(expiry_size + payload.size());
    append_big_endian(plaintext, expiry.time_since_epoch().count());
    plaintext += payload;
    return base64::encode(keys_->seal(plaintext, associated_data, *random_), base64::Form::url);
}

Result<std::string, OpenError> SealedState::open(std::string_view token,
                                                 std::string_view associated_data,
                                                 WallTime now) const {
    auto const sealed = base64::decode(token, base64::Form::url);
    if (!sealed) return Unexpected(OpenError::malformed);
    auto plaintext = keys_->open(*sealed, associated_data);
    if (!plaintext) return plaintext;
    // The same keys may seal other data than states. So the token may be authentic and nevertheless
    // too short for a state.
    if (plaintext->size() < expiry_size) return Unexpected(OpenError::malformed);
    WallTime const expiry(
        std::chrono::milliseconds(read_big_endian(plaintext->substr(0, expiry_size))));
    if (now >= expiry) return Unexpected(OpenError::expired);
    plaintext->erase(0, expiry_size);
    return plaintext;
}

}  // namespace lanyard::crypto

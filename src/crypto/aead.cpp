#include "crypto/aead.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include <string.h>

#include "crypto/digest.hpp"
#include "crypto/openssl.hpp"
#include "lanyard/error.hpp"

namespace lanyard::crypto {

namespace {

constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;
static_assert(seal_overhead == nonce_size + tag_size);

// The algorithm is fetched only once, because fetching it takes longer than sealing a short text.
EVP_CIPHER const* cipher() {
    static EVP_CIPHER const* const algorithm =
        require_object(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr), "no AES-256-GCM");
    return algorithm;
}

enum class CipherUse { open = 0, seal = 1 };

/// Returns a cipher context for one message, with the associated data already mixed in.
CipherContext begin(CipherUse use, Key const& key, unsigned char const* nonce,
                    std::string_view associated_data) {
    CipherContext context(require_object(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new"));
    require(EVP_CipherInit_ex2(context.get(), cipher(), raw(key.data()), nonce,
                               static_cast<int>(use), nullptr) == 1,
            "EVP_CipherInit_ex2");
    int written = 0;
    require(EVP_CipherUpdate(context.get(), nullptr, &written, raw(associated_data.data()),
                             static_cast<int>(associated_data.size())) == 1,
            "EVP_CipherUpdate with associated data");
    return context;
}

void transform(CipherContext const& context, char* out, std::string_view in) {
    int written = 0;
    require(EVP_CipherUpdate(context.get(), raw(out), &written, raw(in.data()),
                             static_cast<int>(in.size())) == 1,
            "EVP_CipherUpdate");
}

// Whether OpenSSL can process the text in one call: OpenSSL counts bytes with an int.
bool fits(std::string_view text) noexcept {
    return text.size() <= INT_MAX;
}

}  // namespace

Key::~Key() {
    explicit_bzero(bytes_.data(), bytes_.size());
}

Key Key::generate(Random& random) {
    Key key({});
    random.fill(key.bytes_);
    return key;
}

Key Key::derive(std::string_view secret, std::string_view purpose) {
    auto bytes = hkdf_sha256(secret, "", purpose, size);
    Key key({});
    std::memcpy(key.bytes_.data(), bytes.data(), size);
    explicit_bzero(bytes.data(), bytes.size());
    return key;
}

std::string seal(Key const& key, std::string_view plaintext, std::string_view associated_data,
                 Random& random) {
    require(fits(plaintext) && fits(associated_data), "more than 2 GiB to seal");
    std::string sealed(nonce_size + plaintext.size() + tag_size, '\0');
    auto const tag_at = nonce_size + plaintext.size();
    random.fill(std::as_writable_bytes(std::span(sealed.data(), nonce_size)));

    auto const context = begin(CipherUse::seal, key, raw(sealed.data()), associated_data);
    transform(context, sealed.data() + nonce_size, plaintext);
    int written = 0;
    require(EVP_CipherFinal_ex(context.get(), raw(sealed.data() + tag_at), &written) == 1,
            "EVP_CipherFinal_ex");
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_size,
                                sealed.data() + tag_at) == 1,
            "EVP_CTRL_AEAD_GET_TAG");
    return sealed;
}

std::optional<std::string> open(Key const& key, std::string_view sealed,
                                std::string_view associated_data) {
    if (sealed.size() < seal_overhead || !fits(sealed) || !fits(associated_data)) {
        return std::nullopt;
    }
    auto const nonce = sealed.substr(0, nonce_size);
    auto const ciphertext = sealed.substr(nonce_size, sealed.size() - seal_overhead);
    std::array<char, tag_size> tag;
    std::copy_n(sealed.end() - tag_size, tag_size, tag.begin());

    auto const context = begin(CipherUse::open, key, raw(nonce.data()), associated_data);
    std::string plaintext(ciphertext.size(), '\0');
    transform(context, plaintext.data(), ciphertext);
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1,
            "EVP_CTRL_AEAD_SET_TAG");
    int written = 0;
    unsigned char none = 0;
    if (EVP_CipherFinal_ex(context.get(), &none, &written) != 1) return std::nullopt;
    return plaintext;
}

}  // namespace lanyard::crypto

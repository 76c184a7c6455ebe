#include "crypto/digest.hpp"

#include <algorithm>

#include <openssl/core_names.h>

namespace lanyard::crypto {

namespace {

// The algorithm is fetched only once, because fetching it takes longer than hashing a short text.
EVP_MD const* sha256_algorithm() {
    static EVP_MD const* const algorithm =
        require_object(EVP_MD_fetch(nullptr, "SHA256", nullptr), "no SHA-256");
    return algorithm;
}

EVP_MAC_CTX* hmac_sha256_prototype() {
    static MacContext const prototype = [] {
        auto* const algorithm = require_object(EVP_MAC_fetch(nullptr, "HMAC", nullptr), "no HMAC");
        MacContext context(require_object(EVP_MAC_CTX_new(algorithm), "EVP_MAC_CTX_new"));
        char digest[] = "SHA256";
        OSSL_PARAM const parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
            OSSL_PARAM_construct_end()};
        require(EVP_MAC_CTX_set_params(context.get(), parameters) == 1, "EVP_MAC_CTX_set_params");
        EVP_MAC_free(algorithm);
        return context;
    }();
    return prototype.get();
}

}  // namespace

Digest sha256(std::string_view data) {
    Digest digest;
    require(EVP_Digest(data.data(), data.size(), raw(digest.data()), nullptr, sha256_algorithm(),
                       nullptr) == 1,
            "EVP_Digest");
    return digest;
}

Sha256::Sha256() : context_(require_object(EVP_MD_CTX_new(), "EVP_MD_CTX_new")) {
    require(EVP_DigestInit_ex2(context_.get(), sha256_algorithm(), nullptr) == 1,
            "EVP_DigestInit_ex2");
}

Sha256& Sha256::update(std::string_view data) {
    require(EVP_DigestUpdate(context_.get(), data.data(), data.size()) == 1, "EVP_DigestUpdate");
    return *this;
}

Digest Sha256::finish() {
    Digest digest;
    require(EVP_DigestFinal_ex(context_.get(), raw(digest.data()), nullptr) == 1,
            "EVP_DigestFinal_ex");
    require(EVP_DigestInit_ex2(context_.get(), sha256_algorithm(), nullptr) == 1,
            "EVP_DigestInit_ex2");
    return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view data) {
    MacContext const context(
        require_object(EVP_MAC_CTX_dup(hmac_sha256_prototype()), "EVP_MAC_CTX_dup"));
    // If the key is empty, passes a pointer to an empty string, because OpenSSL interprets a null
    // pointer as "keep the previous key".
    auto const* const key_bytes = raw(key.empty() ? "" : key.data());
    require(EVP_MAC_init(context.get(), key_bytes, key.size(), nullptr) == 1, "EVP_MAC_init");
    require(EVP_MAC_update(context.get(), raw(data.data()), data.size()) == 1, "EVP_MAC_update");
    Digest digest;
    require(EVP_MAC_final(context.get(), raw(digest.data()), nullptr, digest.size()) == 1,
            "EVP_MAC_final");
    return digest;
}

std::string hkdf_sha256(std::string_view secret, std::string_view salt, std::string_view info,
                        std::size_t size) {
    auto const key = hmac_sha256(salt, secret);
    std::string out;
    std::string block;
    for (unsigned counter = 1; out.size() < size; ++counter) {
        block += info;
        block += static_cast<char>(counter);
        auto const digest = hmac_sha256(as_characters(key), block);
        block = as_characters(digest);
        out.append(block, 0, size - out.size());
    }
    return out;
}

}  // namespace lanyard::crypto

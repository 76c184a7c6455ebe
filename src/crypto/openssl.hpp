// Ownership of OpenSSL objects, and the handling of OpenSSL's failures.
#pragma once

#include <memory>

#include "crypto/libcrypto.hpp"

namespace lanyard::crypto {

using namespace openssl;

template <auto& free_function>
struct Free {
    template <class T>
    void operator()(T* object) const noexcept {
        free_function(object);
    }
};

using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, Free<EVP_CIPHER_CTX_free>>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Free<EVP_MAC_CTX_free>>;

/// Throws Error if an OpenSSL call has failed. Use it only for calls that can fail in two cases:
/// memory is exhausted, or the installed OpenSSL lacks the algorithm. If OpenSSL is not installed,
/// the OpenSSL call itself throws Error (unavailable).
void require(bool succeeded, char const* what);

/// Returns the object that an OpenSSL call has returned. Throws Error if it is null.
template <class T>
T* require_object(T* object, char const* what) {
    require(object != nullptr, what);
    return object;
}

inline unsigned char* raw(void* bytes) noexcept {
    return static_cast<unsigned char*>(bytes);
}
inline unsigned char const* raw(void const* bytes) noexcept {
    return static_cast<unsigned char const*>(bytes);
}

}  // namespace lanyard::crypto

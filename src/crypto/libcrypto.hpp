// The functions of OpenSSL's libcrypto that Lanyard uses, under their original names.
//
// Linking libcrypto costs a process 1.6 MiB of memory as soon as it starts, and most servers never
// need it. So the first call of one of these functions loads libcrypto. A function that is not
// listed here cannot be used: the program does not link. With LANYARD_LINK_OPENSSL, libcrypto is
// linked as usual.
#pragma once

#include <openssl/evp.h>
#include <openssl/params.h>

#include "crypto/library.hpp"

namespace lanyard::openssl {

#ifndef LANYARD_LINK_OPENSSL

inline constinit crypto::Library const libcrypto("libcrypto.so.3");

// NOLINTBEGIN(readability-identifier-naming): the names are those of OpenSSL.
#define LANYARD_BIND(function) \
    inline constinit crypto::LazyFunction<decltype(::function)> const function(libcrypto, #function)

LANYARD_BIND(EVP_CIPHER_CTX_ctrl);
LANYARD_BIND(EVP_CIPHER_CTX_free);
LANYARD_BIND(EVP_CIPHER_CTX_new);
LANYARD_BIND(EVP_CIPHER_fetch);
LANYARD_BIND(EVP_CipherFinal_ex);
LANYARD_BIND(EVP_CipherInit_ex2);
LANYARD_BIND(EVP_CipherUpdate);
LANYARD_BIND(EVP_Digest);
LANYARD_BIND(EVP_DigestFinal_ex);
LANYARD_BIND(EVP_DigestInit_ex2);
LANYARD_BIND(EVP_DigestUpdate);
LANYARD_BIND(EVP_MAC_CTX_dup);
LANYARD_BIND(EVP_MAC_CTX_free);
LANYARD_BIND(EVP_MAC_CTX_new);
LANYARD_BIND(EVP_MAC_CTX_set_params);
LANYARD_BIND(EVP_MAC_fetch);
LANYARD_BIND(EVP_MAC_final);
LANYARD_BIND(EVP_MAC_free);
LANYARD_BIND(EVP_MAC_init);
LANYARD_BIND(EVP_MAC_update);
LANYARD_BIND(EVP_MD_CTX_free);
LANYARD_BIND(EVP_MD_CTX_new);
LANYARD_BIND(EVP_MD_fetch);
LANYARD_BIND(OSSL_PARAM_construct_end);
LANYARD_BIND(OSSL_PARAM_construct_utf8_string);

#undef LANYARD_BIND
// NOLINTEND(readability-identifier-naming)

#endif

}  // namespace lanyard::openssl

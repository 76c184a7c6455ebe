// The functions of OpenSSL's libssl that Lanyard uses, under their original names.
// crypto/libcrypto.hpp explains why they are loaded at run time.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "crypto/libcrypto.hpp"

namespace lanyard::openssl {

#ifdef LANYARD_LINK_OPENSSL

inline Result<void> load_tls() {
    return {};
}

#else

inline constinit crypto::Library const libssl("libssl.so.3");

/// Loads libssl. To be called before any of the functions below.
inline Result<void> load_tls() {
    return libssl.load();
}

// NOLINTBEGIN(readability-identifier-naming): the names are those of OpenSSL.
#define LANYARD_BIND(library, function) \
    inline constinit crypto::LazyFunction<decltype(::function)> const function(library, #function)

LANYARD_BIND(libcrypto, BIO_ctrl);
LANYARD_BIND(libcrypto, BIO_ctrl_pending);
LANYARD_BIND(libcrypto, BIO_free);
LANYARD_BIND(libcrypto, BIO_new);
LANYARD_BIND(libcrypto, BIO_read);
LANYARD_BIND(libcrypto, BIO_s_mem);
LANYARD_BIND(libcrypto, BIO_write);
LANYARD_BIND(libcrypto, ERR_clear_error);
LANYARD_BIND(libcrypto, ERR_peek_last_error);
LANYARD_BIND(libcrypto, ERR_reason_error_string);
LANYARD_BIND(libcrypto, X509_NAME_print_ex);
LANYARD_BIND(libcrypto, X509_VERIFY_PARAM_set1_ip_asc);
LANYARD_BIND(libcrypto, X509_free);
LANYARD_BIND(libcrypto, X509_get_subject_name);
LANYARD_BIND(libcrypto, X509_verify_cert_error_string);

LANYARD_BIND(libssl, SSL_CTX_check_private_key);
LANYARD_BIND(libssl, SSL_CTX_ctrl);
LANYARD_BIND(libssl, SSL_CTX_free);
LANYARD_BIND(libssl, SSL_CTX_load_verify_file);
LANYARD_BIND(libssl, SSL_CTX_new);
LANYARD_BIND(libssl, SSL_CTX_set_alpn_protos);
LANYARD_BIND(libssl, SSL_CTX_set_alpn_select_cb);
LANYARD_BIND(libssl, SSL_CTX_set_client_CA_list);
LANYARD_BIND(libssl, SSL_CTX_set_default_verify_paths);
LANYARD_BIND(libssl, SSL_CTX_set_options);
LANYARD_BIND(libssl, SSL_CTX_set_session_id_context);
LANYARD_BIND(libssl, SSL_CTX_set_verify);
LANYARD_BIND(libssl, SSL_CTX_use_PrivateKey_file);
LANYARD_BIND(libssl, SSL_CTX_use_certificate_chain_file);
LANYARD_BIND(libssl, SSL_ctrl);
LANYARD_BIND(libssl, SSL_do_handshake);
LANYARD_BIND(libssl, SSL_free);
LANYARD_BIND(libssl, SSL_get0_alpn_selected);
LANYARD_BIND(libssl, SSL_get0_param);
LANYARD_BIND(libssl, SSL_get1_peer_certificate);
LANYARD_BIND(libssl, SSL_get_error);
LANYARD_BIND(libssl, SSL_get_rbio);
LANYARD_BIND(libssl, SSL_get_shutdown);
LANYARD_BIND(libssl, SSL_get_verify_result);
LANYARD_BIND(libssl, SSL_get_wbio);
LANYARD_BIND(libssl, SSL_load_client_CA_file);
LANYARD_BIND(libssl, SSL_new);
LANYARD_BIND(libssl, SSL_read_ex);
LANYARD_BIND(libssl, SSL_select_next_proto);
LANYARD_BIND(libssl, SSL_set1_host);
LANYARD_BIND(libssl, SSL_set_accept_state);
LANYARD_BIND(libssl, SSL_set_bio);
LANYARD_BIND(libssl, SSL_set_connect_state);
LANYARD_BIND(libssl, SSL_set_hostflags);
LANYARD_BIND(libssl, SSL_shutdown);
LANYARD_BIND(libssl, SSL_write_ex);
LANYARD_BIND(libssl, TLS_client_method);
LANYARD_BIND(libssl, TLS_server_method);

#undef LANYARD_BIND
// NOLINTEND(readability-identifier-naming)

#endif

}  // namespace lanyard::openssl

#include "sockets/tls_context.hpp"

#include <array>
#include <cstring>

#include "crypto/openssl.hpp"
#include "sockets/libssl.hpp"

namespace lanyard::sockets {

using namespace openssl;

namespace {

// The protocols over TLS, preferred ones first, each preceded by its length (RFC 7301).
constexpr std::array<unsigned char, 9> protocols = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

int choose_protocol(SSL*, unsigned char const** chosen, unsigned char* size,
                    unsigned char const* offered, unsigned int offered_size, void*) {
    unsigned char* found = nullptr;
    auto const outcome =
        SSL_select_next_proto(&found, size, protocols.data(),
                              static_cast<unsigned int>(protocols.size()), offered, offered_size);
    if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

std::string last_error() {
    auto const code = ERR_peek_last_error();
    ERR_clear_error();
    char const* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason == nullptr ? "unknown error" : reason;
}

Unexpected<Error> bad(std::string what, std::string const& file) {
    return Unexpected(
        Error(Errc::invalid_argument, std::move(what) + " \"" + file + "\": " + last_error()));
}

using Context = std::shared_ptr<SSL_CTX>;

Result<Context> make(SSL_METHOD const* method) {
    Context context(SSL_CTX_new(method), crypto::Free<SSL_CTX_free>());
    if (!context) return Unexpected(Error(Errc::failed, "TLS cannot be set up: " + last_error()));
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

Result<void> load_identity(SSL_CTX* context, std::string const& certificate,
                           std::string const& key) {
    if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
        return bad("cannot use the certificate", certificate);
    }
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return bad("cannot use the key", key);
    }
    if (SSL_CTX_check_private_key(context) != 1) {
        return bad("the certificate does not belong to the key", key);
    }
    return {};
}

}  // namespace

Result<TlsContext> TlsContext::server(TlsServerFiles const& files) {
    if (auto const loaded = load_tls(); !loaded) return Unexpected(loaded.error());
    ERR_clear_error();
    auto made = make(TLS_server_method());
    if (!made) return Unexpected(made.error());
    auto* const context = made->get();
    if (auto loaded = load_identity(context, files.certificate, files.key); !loaded) {
        return Unexpected(loaded.error());
    }
    if (files.http) SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    bool const mutual = !files.client_authorities.empty();
    if (mutual) {
        auto const& file = files.client_authorities;
        if (SSL_CTX_load_verify_file(context, file.c_str()) != 1) {
            return bad("cannot use the certificates of the client authorities,", file);
        }
        // The list of certificate authorities is sent in the handshake, so that a client with
        // several certificates can choose the right one.
        SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(file.c_str()));
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        // Without a session id context, OpenSSL refuses to resume sessions of verified clients.
        static constexpr unsigned char name[] = "lanyard";
        SSL_CTX_set_session_id_context(context, name, sizeof name - 1);
    }
    return TlsContext(std::move(*made), true, mutual);
}

Result<TlsContext> TlsContext::client(TlsClientRules const& rules) {
    if (auto const loaded = load_tls(); !loaded) return Unexpected(loaded.error());
    ERR_clear_error();
    auto made = make(TLS_client_method());
    if (!made) return Unexpected(made.error());
    auto* const context = made->get();
    if (!rules.certificate.empty() || !rules.key.empty()) {
        if (auto loaded = load_identity(context, rules.certificate, rules.key); !loaded) {
            return Unexpected(loaded.error());
        }
    }
    if (!rules.authorities.empty()) {
        if (SSL_CTX_load_verify_file(context, rules.authorities.c_str()) != 1) {
            return bad("cannot use the certificates to trust,", rules.authorities);
        }
    } else {
        SSL_CTX_set_default_verify_paths(context);
    }
    SSL_CTX_set_verify(context, rules.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
    if (rules.http) {
        SSL_CTX_set_alpn_protos(context, protocols.data(), static_cast<unsigned>(protocols.size()));
    }
    return TlsContext(std::move(*made), false, !rules.insecure);
}

}  // namespace lanyard::sockets

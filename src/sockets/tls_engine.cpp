#include "sockets/tls_engine.hpp"

#include "base/authority.hpp"
#include "crypto/openssl.hpp"
#include "sockets/libssl.hpp"

namespace lanyard::sockets {

using namespace openssl;

namespace {

// The maximum plaintext of one TLS record.
constexpr std::size_t piece_bytes = std::size_t{16} * 1024;
// If this many bytes of ciphertext wait to be sent, write() takes no more plaintext.
constexpr std::size_t max_output = std::size_t{128} * 1024;

// Whether the error is an alert with which the peer reports that this side's certificate is missing
// or not accepted (RFC 8446, section 6.2).
bool is_refusal(unsigned long error) noexcept {
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return false;
    switch (ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET) {
        case SSL_AD_BAD_CERTIFICATE:
        case SSL_AD_UNSUPPORTED_CERTIFICATE:
        case SSL_AD_CERTIFICATE_REVOKED:
        case SSL_AD_CERTIFICATE_EXPIRED:
        case SSL_AD_CERTIFICATE_UNKNOWN:
        case SSL_AD_UNKNOWN_CA:
        case SSL_AD_ACCESS_DENIED:
        case SSL_AD_CERTIFICATE_REQUIRED:
            return true;
        default:
            return false;
    }
}

std::string reason_text(unsigned long code) {
    char const* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason == nullptr ? "the peer broke the rules of TLS" : reason;
}

}  // namespace

void TlsEngine::Free::operator()(ssl_st* session) const noexcept {
    SSL_free(session);
}

TlsEngine::TlsEngine(TlsContext const& context) : context_(context) {
    configure();
    SSL_set_accept_state(session_.get());
}

TlsEngine::TlsEngine(TlsContext const& context, std::string const& host) : context_(context) {
    configure();
    SSL_set_connect_state(session_.get());
    auto const name = HostName::parse(host.find(':') != host.npos ? "[" + host + "]" : host);
    if (name && (name->is_ipv4() || name->is_ipv6())) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), host.c_str());
    } else {
        SSL_set_tlsext_host_name(session_.get(), host.c_str());
        SSL_set_hostflags(session_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        SSL_set1_host(session_.get(), host.c_str());
    }
}

TlsEngine::~TlsEngine() = default;

void TlsEngine::configure() {
    session_.reset(crypto::require_object(SSL_new(context_.native()), "SSL_new"));
    auto* const in = crypto::require_object(BIO_new(BIO_s_mem()), "BIO_new");
    auto* const out = BIO_new(BIO_s_mem());
    SSL_set_bio(session_.get(), in, out);  // takes ownership of both
    crypto::require(out != nullptr, "BIO_new");
}

void TlsEngine::start() {
    handshake();
}

void TlsEngine::fail(std::string fault) {
    if (state_ == State::failed) return;
    fault_ = std::move(fault);
    state_ = State::failed;
}

// Updates the state after an OpenSSL call that did not succeed.
void TlsEngine::judge(int result) {
    switch (SSL_get_error(session_.get(), result)) {
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
            return;
        case SSL_ERROR_ZERO_RETURN:
            state_ = State::ended;
            return;
        default: {
            auto const error = ERR_peek_last_error();
            ERR_clear_error();
            refused_ = is_refusal(error);
            auto const outcome = SSL_get_verify_result(session_.get());
            fail(outcome != X509_V_OK && state_ == State::handshake
                     ? "the peer's certificate was refused: " +
                           std::string(X509_verify_cert_error_string(outcome))
                     : reason_text(error));
        }
    }
}

void TlsEngine::collect() {
    auto* const out = SSL_get_wbio(session_.get());
    for (auto waiting = BIO_ctrl_pending(out); waiting > 0; waiting = BIO_ctrl_pending(out)) {
        auto const begin = output_.size();
        output_.resize(begin + waiting);
        BIO_read(out, output_.data() + begin, static_cast<int>(waiting));
    }
}

void TlsEngine::handshake() {
    if (state_ != State::handshake) return;
    ERR_clear_error();
    auto const result = SSL_do_handshake(session_.get());
    if (result == 1) {
        state_ = State::open;
    } else {
        judge(result);
    }
    collect();
}

void TlsEngine::receive(std::string_view ciphertext) {
    if (state_ == State::failed) return;
    BIO_write(SSL_get_rbio(session_.get()), ciphertext.data(), static_cast<int>(ciphertext.size()));
    handshake();
}

bool TlsEngine::read(std::string& plaintext) {
    if (state_ != State::open) return false;
    ERR_clear_error();
    plaintext.resize(piece_bytes);
    std::size_t size = 0;
    auto const result = SSL_read_ex(session_.get(), plaintext.data(), plaintext.size(), &size);
    plaintext.resize(result == 1 ? size : 0);
    if (result != 1) judge(result);
    collect();
    return result == 1;
}

std::size_t TlsEngine::write(std::string_view plaintext) {
    std::size_t written = 0;
    while (state_ == State::open || state_ == State::ended) {
        if (written == plaintext.size() || output().size() >= max_output) break;
        ERR_clear_error();
        std::size_t size = 0;
        auto const piece = plaintext.substr(written, piece_bytes);
        auto const result = SSL_write_ex(session_.get(), piece.data(), piece.size(), &size);
        if (result != 1) {
            judge(result);
            break;
        }
        written += size;
        collect();
    }
    collect();
    return written;
}

void TlsEngine::end() {
    if (state_ == State::failed || state_ == State::handshake) return;
    if ((SSL_get_shutdown(session_.get()) & SSL_SENT_SHUTDOWN) != 0) return;
    ERR_clear_error();
    SSL_shutdown(session_.get());
    collect();
}

std::string_view TlsEngine::output() const noexcept {
    return std::string_view(output_).substr(consumed_);
}

void TlsEngine::consume(std::size_t bytes) noexcept {
    consumed_ += bytes;
    if (consumed_ < output_.size()) return;
    consumed_ = 0;
    output_.clear();
    if (output_.capacity() > piece_bytes * 2) std::string().swap(output_);
}

std::string_view TlsEngine::protocol() const noexcept {
    unsigned char const* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(session_.get(), &name, &size);
    return {reinterpret_cast<char const*>(name), size};
}

std::string TlsEngine::peer_subject() const {
    if (!context_.verifies_peer()) return {};
    std::unique_ptr<X509, crypto::Free<X509_free>> const certificate(
        SSL_get1_peer_certificate(session_.get()));
    if (!certificate || SSL_get_verify_result(session_.get()) != X509_V_OK) return {};
    std::unique_ptr<BIO, crypto::Free<BIO_free>> const text(BIO_new(BIO_s_mem()));
    if (!text) return {};
    X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate.get()), 0,
                       XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
    char* bytes = nullptr;
    auto const size = BIO_get_mem_data(text.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace lanyard::sockets

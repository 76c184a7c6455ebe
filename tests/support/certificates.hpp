// Certificates for tests, generated at run time: an authority, and certificates that it issues to
// servers and clients.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "crypto/openssl.hpp"

namespace lanyard::test {

/// A folder of PEM files, which is removed with the object.
class Certificates {
public:
    /// A certificate and its key, as files.
    struct Identity {
        std::string certificate;
        std::string key;
    };

    Certificates() {
        std::string pattern = (std::filesystem::temp_directory_path() / "lanyard-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
        folder_ = pattern;
        key_ = make_key();
        certificate_ = make_certificate("Test Authority", key_.get(), nullptr, "");
        write_certificate(authority(), certificate_.get());
    }
    ~Certificates() { std::filesystem::remove_all(folder_); }
    Certificates(Certificates const&) = delete;
    Certificates& operator=(Certificates const&) = delete;

    std::string authority() const { return (folder_ / "authority.pem").string(); }
    std::string path(std::string const& name) const { return (folder_ / name).string(); }

    /// `names` is like "DNS:localhost,IP:127.0.0.1"; empty for a client. Existing files of the same
    /// name are replaced.
    Identity issue(std::string const& file, std::string const& common_name,
                   std::string const& names = {}) const {
        auto const key = make_key();
        auto const certificate =
            make_certificate(common_name, key.get(), certificate_.get(), names);
        Identity identity{path(file + ".pem"), path(file + ".key")};
        write_key(identity.key, key.get());
        write_certificate(identity.certificate, certificate.get());
        return identity;
    }

private:
    using Key = std::unique_ptr<EVP_PKEY, crypto::Free<EVP_PKEY_free>>;
    using Certificate = std::unique_ptr<X509, crypto::Free<X509_free>>;
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    static Key make_key() { return Key(EVP_EC_gen("P-256")); }

    // Without an issuer the certificate is self-signed.
    Certificate make_certificate(std::string const& common_name, EVP_PKEY* key, X509* issuer,
                                 std::string const& names) const {
        Certificate certificate(X509_new());
        auto* const x = certificate.get();
        static long serial = 1;
        X509_set_version(x, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
        X509_gmtime_adj(X509_getm_notBefore(x), -3600);
        X509_gmtime_adj(X509_getm_notAfter(x), 24L * 3600);
        X509_set_pubkey(x, key);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8,
                                   reinterpret_cast<unsigned char const*>(common_name.c_str()), -1,
                                   -1, 0);
        X509_set_issuer_name(x, X509_get_subject_name(issuer == nullptr ? x : issuer));
        if (issuer == nullptr) add(x, NID_basic_constraints, "critical,CA:TRUE");
        if (!names.empty()) add(x, NID_subject_alt_name, names);
        X509_sign(x, issuer == nullptr ? key : key_.get(), EVP_sha256());
        return certificate;
    }

    static void add(X509* certificate, int kind, std::string const& value) {
        std::unique_ptr<X509_EXTENSION, crypto::Free<X509_EXTENSION_free>> const extension(
            X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
        X509_add_ext(certificate, extension.get(), -1);
    }

    static void write_certificate(std::string const& path, X509* certificate) {
        File const file(std::fopen(path.c_str(), "w"), std::fclose);
        PEM_write_X509(file.get(), certificate);
    }
    static void write_key(std::string const& path, EVP_PKEY* key) {
        File const file(std::fopen(path.c_str(), "w"), std::fclose);
        PEM_write_PrivateKey(file.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    }

    std::filesystem::path folder_;
    Key key_;
    Certificate certificate_;
};

}  // namespace lanyard::test

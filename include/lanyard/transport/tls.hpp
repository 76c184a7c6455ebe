// TlsOptions: a server's certificate, for every listener that offers TLS.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include <lanyard/clock.hpp>

namespace lanyard {

/// A server's certificate and key, as PEM files.
class TlsOptions {
public:
    /// The certificate file contains the server's certificate, followed by the intermediate
    /// certificates, if there are any.
    TlsOptions(std::string certificate_file, std::string key_file)
        : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

    /// Requires clients to present a certificate signed by one of these authorities (a PEM file);
    /// see client_certificates(). Default: none, so clients need no certificate.
    TlsOptions& client_authorities(std::string file) {
        client_authorities_ = std::move(file);
        return *this;
    }
    /// How often the files are checked for changes. Default: 10 s. Zero: never. New files are used
    /// for new connections; if the new files are invalid, the old ones stay in use.
    TlsOptions& check_interval(Duration interval) noexcept {
        check_interval_ = interval;
        return *this;
    }

    std::string const& certificate_file() const noexcept { return certificate_file_; }
    std::string const& key_file() const noexcept { return key_file_; }
    std::string const& client_authorities() const noexcept { return client_authorities_; }
    Duration check_interval() const noexcept { return check_interval_; }

private:
    std::string certificate_file_;
    std::string key_file_;
    std::string client_authorities_;
    Duration check_interval_ = std::chrono::seconds(10);
};

}  // namespace lanyard

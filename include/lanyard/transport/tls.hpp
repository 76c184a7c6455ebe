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
    /// The first file holds the certificate and those between it and the root.
    TlsOptions(std::string certificate_file, std::string key_file)
        : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

    /// Clients have to show a certificate that one of these vouches for; see client_certificates().
    TlsOptions& client_authorities(std::string file) {
        client_authorities_ = std::move(file);
        return *this;
    }
    /// How often it is looked whether the files have changed; zero: never. New ones are used for
    /// new connections; where they cannot be used, the old ones stay.
    TlsOptions& check_files(Duration interval) noexcept {
        check_files_ = interval;
        return *this;
    }

    std::string const& certificate_file() const noexcept { return certificate_file_; }
    std::string const& key_file() const noexcept { return key_file_; }
    std::string const& client_authorities() const noexcept { return client_authorities_; }
    Duration check_files() const noexcept { return check_files_; }

private:
    std::string certificate_file_;
    std::string key_file_;
    std::string client_authorities_;
    Duration check_files_ = std::chrono::seconds(10);
};

}  // namespace lanyard

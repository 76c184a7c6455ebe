// URLs of http and https (RFC 3986), checked and normalised, and which of them a client may be sent
// on to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

#include "http/request_reader.hpp"
#include "sockets/authority.hpp"

namespace lanyard::http {

/// Scheme and host in lower case, the default port spelled out nowhere, dot segments removed, no
/// fragment. User information is refused: it ends up in logs.
class Url {
public:
    static constexpr std::size_t max_bytes = std::size_t{8} * 1024;

    static Result<Url, DecodeError> parse(std::string_view text);
    /// The URL that a reference means on the page of this one: a Location, or the endpoint that a
    /// server of 2024-11-05 names.
    Result<Url, DecodeError> resolve(std::string_view reference) const;

    bool secure() const noexcept { return secure_; }
    sockets::HostName const& host() const noexcept { return host_; }
    std::uint16_t port() const noexcept { return port_; }
    /// Path and query, as the request line has them; begins with '/'.
    std::string const& target() const noexcept { return target_; }
    /// As Host has it: the port only where it is not the default one.
    std::string authority() const;
    /// "https://a.example"
    std::string origin() const;
    std::string to_string() const { return origin() + target_; }

    bool same_origin(Url const& other) const noexcept {
        return secure_ == other.secure_ && port_ == other.port_ && host_ == other.host_;
    }
    bool operator==(Url const&) const = default;

private:
    Url(bool secure, sockets::HostName const& host, std::uint16_t port, std::string target)
        : host_(host), target_(std::move(target)), port_(port), secure_(secure) {}

    sockets::HostName host_;
    std::string target_;
    std::uint16_t port_;
    bool secure_;
};

/// How often a client lets itself be sent on for one request.
inline constexpr int max_redirects = 3;

/// 301, 302, 303, 307 and 308.
bool is_redirect(int status) noexcept;

/// Where a redirect leads, if it may be followed: to the same origin only, since everything else
/// would show credentials to somebody new, and only where the method and the body stay what they
/// are.
Result<Url, DecodeError> follow_redirect(Url const& from, Method method, int status,
                                         std::optional<std::string_view> location,
                                         int redirects_before);

}  // namespace lanyard::http

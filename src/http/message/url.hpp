// URLs of http and https (RFC 3986), checked and normalized, and the redirects that a client may
// follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/authority.hpp"
#include "http/message/method.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::http {

/// A normalized URL: scheme and host are in lower case, the default port is omitted, dot segments
/// are removed, and there is no fragment. parse() refuses user information ("user:password@"),
/// because it would appear in logs.
class Url {
public:
    static constexpr std::size_t max_bytes = std::size_t{8} * 1024;

    /// `other_schemes` is added to the error message for a scheme other than http and https.
    static Result<Url, DecodeError> parse(std::string_view text,
                                          std::string_view other_schemes = {});
    /// Resolves a reference relative to this URL. References come from Location headers, and from
    /// the `endpoint` event of servers of protocol revision 2024-11-05.
    Result<Url, DecodeError> resolve(std::string_view reference) const;

    bool secure() const noexcept { return secure_; }
    HostName const& host() const noexcept { return host_; }
    std::uint16_t port() const noexcept { return port_; }
    /// Path and query as written in the request line; begins with '/'.
    std::string const& target() const noexcept { return target_; }
    /// The value of the Host field. Contains the port only if it is not the default port.
    std::string authority() const;
    /// "https://a.example"
    std::string origin() const;
    std::string to_string() const { return origin() + target_; }

    bool same_origin(Url const& other) const noexcept {
        return secure_ == other.secure_ && port_ == other.port_ && host_ == other.host_;
    }
    bool operator==(Url const&) const = default;

private:
    Url(bool secure, HostName const& host, std::uint16_t port, std::string target)
        : host_(host), target_(std::move(target)), port_(port), secure_(secure) {}

    HostName host_;
    std::string target_;
    std::uint16_t port_;
    bool secure_;
};

/// The maximum number of redirects that a client follows for one request.
inline constexpr int max_redirects = 3;

/// Whether the status is 301, 302, 303, 307 or 308.
bool is_redirect(int status) noexcept;

/// Returns the URL to which a request is redirected. Fails if the redirect must not be followed,
/// because of one of these reasons:
/// - It leads to another origin, which must not get the credentials.
/// - It would change the method.
/// - The request has already been redirected max_redirects times.
Result<Url, DecodeError> follow_redirect(Url const& from, Method method, int status,
                                         std::optional<std::string_view> location,
                                         int redirects_before);

}  // namespace lanyard::http

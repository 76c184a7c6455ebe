// "host:port" as in URLs and in the headers Host and Origin (RFC 3986, section 3.2), checked and
// normalized so that hosts can be compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lanyard {

/// A host name in lower case, or an IP address in its usual notation (IPv6 without brackets).
/// Allocates no memory.
class HostName {
public:
    static constexpr std::size_t max_bytes = 253;

    /// Accepts a name of letters, digits, '-', '_' and '.', an IPv4 address in four decimal parts,
    /// or an IPv6 address in brackets. Other notations of IPv4 (0x7f.1, 2130706433) are refused:
    /// resolvers understand them, but here they would not compare equal to the usual notation of
    /// the same address.
    static std::optional<HostName> parse(std::string_view text) noexcept;

    std::string_view view() const noexcept { return {text_.data(), size_}; }
    bool is_ipv4() const noexcept { return kind_ == Kind::ipv4; }
    bool is_ipv6() const noexcept { return kind_ == Kind::ipv6; }
    /// Whether the host is "localhost", in 127.0.0.0/8, or ::1. Subdomains of localhost and
    /// IPv4-mapped IPv6 addresses do not count.
    bool is_loopback() const noexcept;

    bool operator==(HostName const& other) const noexcept { return view() == other.view(); }

private:
    enum class Kind : std::uint8_t { name, ipv4, ipv6 };

    std::array<char, max_bytes + 1> text_{};
    std::uint8_t size_ = 0;
    Kind kind_ = Kind::name;
};

struct Authority {
    HostName host;
    std::optional<std::uint16_t> port;
};

/// Returns nullopt unless the text is a host, optionally followed by a colon and a port. User
/// information is not accepted.
std::optional<Authority> parse_authority(std::string_view text) noexcept;

/// Accepts decimal numbers up to 65535.
std::optional<std::uint16_t> parse_port(std::string_view text) noexcept;

/// A web origin of http or https ("https://a.example:8443").
struct Origin {
    bool secure;
    Authority authority;

    std::uint16_t port() const noexcept { return authority.port.value_or(secure ? 443 : 80); }
};

/// Returns nullopt for "null", for schemes other than http and https, and if the text has more than
/// a scheme and an authority.
std::optional<Origin> parse_origin(std::string_view text) noexcept;

}  // namespace lanyard

#include "base/authority.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/ascii.hpp"

namespace lanyard {
namespace {

constexpr bool is_name_character(char c) noexcept {
    return ascii::is_letter(c) || ascii::is_digit(c) || c == '-' || c == '.' || c == '_';
}

// Whether a resolver would interpret the name as an IPv4 address. Resolvers do so if the last part
// of the name is a number.
bool ends_in_number(std::string_view name) noexcept {
    if (name.ends_with('.')) name.remove_suffix(1);
    auto last = name.substr(name.rfind('.') + 1);
    if (ascii::is_number(last)) return true;
    if (!last.starts_with("0x")) return false;
    last.remove_prefix(2);
    return std::all_of(last.begin(), last.end(), [](char c) { return ascii::hex_value(c) >= 0; });
}

}  // namespace

std::optional<HostName> HostName::parse(std::string_view text) noexcept {
    HostName host;
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
        host.kind_ = Kind::ipv6;
    } else if (!std::all_of(text.begin(), text.end(),
                            [](char c) { return is_name_character(c); })) {
        return std::nullopt;
    }
    if (text.empty() || text.size() > max_bytes) return std::nullopt;
    std::transform(text.begin(), text.end(), host.text_.begin(),
                   [](char c) { return ascii::to_lower(c); });
    host.size_ = static_cast<std::uint8_t>(text.size());
    if (host.kind_ == Kind::ipv6) {
        in6_addr address{};
        // inet_pton() needs a NUL after the text. The array was zeroed and is longer than the text,
        // so a NUL follows.
        if (inet_pton(AF_INET6, host.text_.data(), &address) != 1) return std::nullopt;
        if (text.find('\0') != text.npos) return std::nullopt;
        inet_ntop(AF_INET6, &address, host.text_.data(), static_cast<socklen_t>(host.text_.size()));
        host.size_ = static_cast<std::uint8_t>(std::strlen(host.text_.data()));
    } else if (ends_in_number(host.view())) {
        in_addr address{};
        if (inet_pton(AF_INET, host.text_.data(), &address) != 1) return std::nullopt;
        host.kind_ = Kind::ipv4;
    }
    return host;
}

bool HostName::is_loopback() const noexcept {
    switch (kind_) {
        case Kind::ipv4:
            return view().starts_with("127.");
        case Kind::ipv6:
            return view() == "::1";
        case Kind::name:
            break;
    }
    return view() == "localhost";
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
    std::uint16_t port = 0;
    auto const* const end = text.data() + text.size();
    auto const [stop, failure] = std::from_chars(text.data(), end, port);
    if (failure != std::errc() || stop != end || text.size() > 5) return std::nullopt;
    return port;
}

std::optional<Authority> parse_authority(std::string_view text) noexcept {
    // A colon inside brackets is part of an IPv6 address and does not begin the port.
    auto const colon =
        text.find(':', text.starts_with('[') ? std::min(text.find(']'), text.size()) : 0);
    auto const host = HostName::parse(text.substr(0, colon));
    if (!host) return std::nullopt;
    Authority authority{*host, std::nullopt};
    if (colon != text.npos) {
        authority.port = parse_port(text.substr(colon + 1));
        if (!authority.port) return std::nullopt;
    }
    return authority;
}

std::optional<Origin> parse_origin(std::string_view text) noexcept {
    auto const mark = text.find("://");
    auto const scheme = text.substr(0, mark);
    bool const secure = ascii::equals_ignoring_case(scheme, "https");
    if (mark == text.npos || (!secure && !ascii::equals_ignoring_case(scheme, "http"))) {
        return std::nullopt;
    }
    auto const authority = parse_authority(text.substr(mark + 3));
    if (!authority) return std::nullopt;
    return Origin{secure, *authority};
}

}  // namespace lanyard

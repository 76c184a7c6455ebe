#include "http/client/proxy.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/ascii.hpp"
#include "base/uri.hpp"
#include "lanyard/base64.hpp"

namespace lanyard::http {
namespace {

Unexpected<DecodeError> invalid(std::string message) {
    return Unexpected(DecodeError{"", std::move(message)});
}

// Returns the bytes of an address that is written in the usual notation, IPv6 without brackets.
std::optional<std::array<unsigned char, 16>> address_bytes(std::string const& text, bool ipv6) {
    std::array<unsigned char, 16> bytes{};
    if (inet_pton(ipv6 ? AF_INET6 : AF_INET, text.c_str(), bytes.data()) != 1) return std::nullopt;
    return bytes;
}

bool equal_bits(std::array<unsigned char, 16> const& a, std::array<unsigned char, 16> const& b,
                int bits) noexcept {
    auto const bytes = static_cast<std::size_t>(bits / 8);
    if (std::memcmp(a.data(), b.data(), bytes) != 0) return false;
    auto const mask = 0xFF00 >> (bits % 8) & 0xFF;
    return bits % 8 == 0 || ((a[bytes] ^ b[bytes]) & mask) == 0;
}

std::optional<std::string> first_of(ProxySettings::Lookup const& lookup, std::string const& name,
                                    std::string const& other, std::string& found) {
    for (auto const& candidate : {name, other}) {
        if (candidate.empty()) continue;
        auto value = lookup(candidate);
        if (!value || value->empty()) continue;
        found = candidate;
        return value;
    }
    return std::nullopt;
}

}  // namespace

Result<Proxy, DecodeError> parse_proxy(std::string_view text) {
    std::string_view scheme = "http://";
    if (auto const mark = text.find("://"); mark != text.npos) {
        scheme = text.substr(0, mark + 3);
        text.remove_prefix(mark + 3);
    }
    std::string authorization;
    auto const authority = text.substr(0, text.find('/'));
    if (auto const at = authority.rfind('@'); at != authority.npos) {
        auto const credentials = percent_decode(text.substr(0, at));
        if (!credentials) return invalid("a '%' of the credentials is not followed by two digits");
        bool const has_password = credentials->find(':') != std::string::npos;
        authorization = "Basic " + base64::encode(*credentials + (has_password ? "" : ":"));
        text.remove_prefix(at + 1);
    }
    auto url = Url::parse(std::string(scheme) + std::string(text));
    if (!url) return Unexpected(url.error());
    return Proxy{*std::move(url), std::move(authorization)};
}

std::optional<ProxySettings::Exception> ProxySettings::parse_exception(std::string_view text) {
    Exception exception;
    if (auto const slash = text.find('/'); slash != text.npos) {
        auto const bits = text.substr(slash + 1);
        exception.ipv6 = text.find(':') != text.npos;
        auto const address = address_bytes(std::string(text.substr(0, slash)), exception.ipv6);
        auto const [stop, failure] =
            std::from_chars(bits.data(), bits.data() + bits.size(), exception.prefix_bits);
        if (!address || failure != std::errc() || stop != bits.data() + bits.size() ||
            exception.prefix_bits < 0 || exception.prefix_bits > (exception.ipv6 ? 128 : 32)) {
            return std::nullopt;
        }
        exception.address = *address;
        return exception;
    }
    while (text.starts_with('.') || text.starts_with('*')) text.remove_prefix(1);
    // A string with more than one colon is an IPv6 address, which needs no brackets in no_proxy.
    bool const bare = !text.starts_with('[') && std::count(text.begin(), text.end(), ':') > 1;
    auto const authority =
        parse_authority(bare ? "[" + std::string(text) + "]" : std::string(text));
    if (!authority) return std::nullopt;
    exception.port = authority->port;
    exception.ipv6 = authority->host.is_ipv6();
    if (exception.ipv6 || authority->host.is_ipv4()) {
        exception.address = address_bytes(std::string(authority->host.view()), exception.ipv6)
                                .value_or(std::array<unsigned char, 16>{});
        exception.prefix_bits = exception.ipv6 ? 128 : 32;
    } else {
        exception.suffix = authority->host.view();
    }
    return exception;
}

bool ProxySettings::Exception::covers(Url const& url) const noexcept {
    if (port && *port != url.port()) return false;
    auto const host = url.host().view();
    bool const is_address = url.host().is_ipv4() || url.host().is_ipv6();
    if (prefix_bits < 0) {
        if (is_address || !host.ends_with(suffix)) return false;
        return host.size() == suffix.size() || host[host.size() - suffix.size() - 1] == '.';
    }
    if (!is_address || ipv6 != url.host().is_ipv6()) return false;
    std::array<unsigned char, 16> bytes{};
    // The text of a host is NUL-terminated, as inet_pton() requires.
    inet_pton(ipv6 ? AF_INET6 : AF_INET, host.data(), bytes.data());
    return equal_bits(address, bytes, prefix_bits);
}

Result<ProxySettings, DecodeError> ProxySettings::read(Lookup const& lookup) {
    ProxySettings settings;
    auto const read_one = [&](std::string const& name, std::string const& other,
                              std::optional<Proxy>& out) -> Result<void, DecodeError> {
        std::string found;
        auto value = first_of(lookup, name, other, found);
        if (!value) value = first_of(lookup, "all_proxy", "ALL_PROXY", found);
        if (!value) return {};
        auto proxy = parse_proxy(*value);
        if (!proxy) return invalid(found + ": " + proxy.error().message);
        out = *std::move(proxy);
        return {};
    };
    if (auto result = read_one("http_proxy", "", settings.http_); !result) {
        return Unexpected(result.error());
    }
    if (auto result = read_one("https_proxy", "HTTPS_PROXY", settings.https_); !result) {
        return Unexpected(result.error());
    }
    std::string found;
    auto const list = first_of(lookup, "no_proxy", "NO_PROXY", found).value_or("");
    for (std::string_view rest = list; !rest.empty();) {
        auto const end = rest.find_first_of(", \t");
        auto const entry = rest.substr(0, end);
        rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
        if (entry.empty()) continue;
        if (entry == "*") {
            settings.none_ = true;
            continue;
        }
        auto exception = parse_exception(entry);
        if (!exception) {
            return invalid(found + ": not a host, address or network: \"" + std::string(entry) +
                           "\"");
        }
        settings.exceptions_.push_back(*std::move(exception));
    }
    return settings;
}

Proxy const* ProxySettings::find(Url const& url) const noexcept {
    auto const& proxy = url.secure() ? https_ : http_;
    if (!proxy || none_ || url.host().is_loopback()) return nullptr;
    bool const excepted =
        std::any_of(exceptions_.begin(), exceptions_.end(),
                    [&](Exception const& exception) { return exception.covers(url); });
    return excepted ? nullptr : &*proxy;
}

}  // namespace lanyard::http

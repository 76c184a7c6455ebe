// Selects the proxy that a client uses from the usual environment variables: http_proxy,
// https_proxy, all_proxy and no_proxy.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/url.hpp"
#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::http {

struct Proxy {
    Url url;
    std::string authorization;  ///< value of Proxy-Authorization; empty if there are no credentials

    bool operator==(Proxy const&) const = default;
};

/// Parses the URL of a proxy, such as "http://user:password@proxy:3128". A missing scheme means
/// http.
Result<Proxy, DecodeError> parse_proxy(std::string_view text);

class ProxySettings {
public:
    /// A function that returns the value of an environment variable; nullopt if it is not set.
    using Lookup = std::function<std::optional<std::string>(std::string const& name)>;

    /// Creates settings without any proxy.
    ProxySettings() = default;
    /// Reads the settings from environment variables. Lower-case names take precedence over
    /// upper-case ones. HTTP_PROXY is not read, because in a CGI program a client can set it with a
    /// `Proxy` header. Fails if a value is invalid; the error names the variable.
    static Result<ProxySettings, DecodeError> read(Lookup const& lookup);

    /// Returns the proxy for this URL, or null. Loopback hosts are never reached through a proxy.
    Proxy const* find(Url const& url) const noexcept;

private:
    struct Exception {
        // The ending of the host names that bypass the proxy; empty if the exception is an address
        // or a network.
        std::string suffix;
        std::array<unsigned char, 16> address{};
        int prefix_bits = -1;  // number of address bits to compare; -1 for host names
        bool ipv6 = false;
        std::optional<std::uint16_t> port;

        bool covers(Url const& url) const noexcept;
    };

    static std::optional<Exception> parse_exception(std::string_view text);

    std::optional<Proxy> http_;
    std::optional<Proxy> https_;
    std::vector<Exception> exceptions_;
    bool none_ = false;
};

}  // namespace lanyard::http

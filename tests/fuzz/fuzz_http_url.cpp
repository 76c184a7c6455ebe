// URLs: one that is accepted is normalized when written, names the same origin, and can be
// requested; references, proxies and media types are parsed without faults. The first byte splits
// the input.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.hpp"
#include "http/client/proxy.hpp"
#include "http/message/media_type.hpp"
#include "http/message/url.hpp"
#include "support/http.hpp"

using namespace lanyard;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view const text(reinterpret_cast<char const*>(data) + 1, size - 1);
    auto const first = text.substr(0, data[0]);
    auto const second = text.substr(first.size());
    static_cast<void>(http::parse_proxy(text));
    static_cast<void>(http::is_json(text));
    static_cast<void>(http::ProxySettings::read(
        [&](std::string const&) -> std::optional<std::string> { return std::string(text); }));

    auto const url = http::Url::parse(first);
    if (!url) return 0;
    auto const again = http::Url::parse(url->to_string());
    fuzz::require(again.has_value() && *again == *url, "a URL changes when it is read again");
    auto const request =
        "GET " + url->target() + " HTTP/1.1\r\nHost: " + url->authority() + "\r\n\r\n";
    auto const read =
        test::requests_of({request}, {.max_head_bytes = 20'000, .max_target_bytes = 20'000});
    fuzz::require(read.size() == 1 && read[0].starts_with("GET"), "a URL cannot be asked for");
    auto const origin = parse_origin(url->origin());
    fuzz::require(origin && origin->authority.host == url->host() && origin->port() == url->port(),
                  "an origin is not that of its URL");
    auto const resolved = url->resolve(second);
    auto const followed = http::follow_redirect(*url, http::Method::get, 302, second, 0);
    fuzz::require(!followed || (resolved && followed->same_origin(*url)),
                  "a redirect leads to another origin");
    return 0;
}

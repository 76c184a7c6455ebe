#include "http/message/url.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/uri.hpp"

namespace lanyard::http {
namespace {

Unexpected<DecodeError> invalid(std::string message) {
    return Unexpected(DecodeError{"", std::move(message)});
}

constexpr bool is_url_character(char c) noexcept {
    return c > ' ' && c <= '~' && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

bool has_broken_triplet(std::string_view text) noexcept {
    for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
        if (at + 2 >= text.size() || ascii::hex_value(text[at + 1]) < 0 ||
            ascii::hex_value(text[at + 2]) < 0) {
            return true;
        }
    }
    return false;
}

// Returns a description of what is wrong with the characters or the length; empty if nothing is
// wrong.
std::string_view find_fault(std::string_view text) noexcept {
    if (text.size() > Url::max_bytes) return "the URL is too long";
    if (!std::all_of(text.begin(), text.end(), [](char c) { return is_url_character(c); })) {
        return "the URL holds a character that must be percent-encoded";
    }
    if (has_broken_triplet(text)) return "a '%' of the URL is not followed by two digits";
    return {};
}

}  // namespace

Result<Url, DecodeError> Url::parse(std::string_view text, std::string_view other_schemes) {
    if (auto const fault = find_fault(text); !fault.empty()) return invalid(std::string(fault));
    auto const mark = text.find("://");
    auto const scheme = text.substr(0, mark == text.npos ? 0 : mark);
    bool const secure = ascii::equals_ignoring_case(scheme, "https");
    if (!secure && !ascii::equals_ignoring_case(scheme, "http")) {
        return invalid("the URL must begin with http:// or https://" + std::string(other_schemes));
    }
    // Resolving a URL against itself removes the dot segments.
    auto const tidy = resolve_uri(text, text);
    auto rest = split_fragment(tidy).resource;
    rest.remove_prefix(mark + 3);
    auto const end = std::min(rest.find_first_of("/?"), rest.size());
    auto const authority_text = rest.substr(0, end);
    if (authority_text.find('@') != authority_text.npos) {
        return invalid("the URL has user information; send credentials in a header");
    }
    auto const authority = parse_authority(authority_text);
    if (!authority) {
        auto const host = authority_text.substr(0, authority_text.rfind(':'));
        bool const port_is_wrong = host.size() < authority_text.size() && parse_authority(host);
        return invalid("the URL has no valid " + std::string(port_is_wrong ? "port" : "host") +
                       ": \"" + std::string(authority_text) + "\"");
    }
    auto target = std::string(rest.substr(end));
    if (!target.starts_with('/')) target.insert(0, "/");
    return Url(secure, authority->host, authority->port.value_or(secure ? 443 : 80),
               std::move(target));
}

Result<Url, DecodeError> Url::resolve(std::string_view reference) const {
    if (auto const fault = find_fault(reference); !fault.empty()) {
        return invalid(std::string(fault));
    }
    return parse(resolve_uri(to_string(), reference));
}

std::string Url::authority() const {
    std::string text;
    if (host_.is_ipv6()) text += '[';
    text += host_.view();
    if (host_.is_ipv6()) text += ']';
    if (port_ != (secure_ ? 443 : 80)) text += ":" + std::to_string(port_);
    return text;
}

std::string Url::origin() const {
    return (secure_ ? "https://" : "http://") + authority();
}

bool is_redirect(int status) noexcept {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<Url, DecodeError> follow_redirect(Url const& from, Method method, int status,
                                         std::optional<std::string_view> location,
                                         int redirects_before) {
    if (redirects_before >= max_redirects) return invalid("the server redirects too often");
    if (!location) return invalid("a redirect does not say where to");
    if (method != Method::get && status != 307 && status != 308) {
        return invalid("a redirect (" + std::to_string(status) +
                       ") would turn the request into another one");
    }
    auto to = from.resolve(*location);
    if (to && !to->same_origin(from)) {
        return invalid("a redirect leads to another origin, " + to->origin() +
                       ": use that URL if you trust it");
    }
    return to;
}

}  // namespace lanyard::http

#include "base/uri.hpp"

#include "base/ascii.hpp"

namespace lanyard {
namespace {

struct Parts {
    std::optional<std::string_view> scheme;
    std::optional<std::string_view> authority;
    std::string_view path;
    std::optional<std::string_view> query;
    std::optional<std::string_view> fragment;
};

bool is_scheme_character(char c) noexcept {
    return ascii::is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
}

Parts split(std::string_view uri) noexcept {
    Parts parts;
    if (auto const hash = uri.find('#'); hash != uri.npos) {
        parts.fragment = uri.substr(hash + 1);
        uri = uri.substr(0, hash);
    }
    if (auto const mark = uri.find('?'); mark != uri.npos) {
        parts.query = uri.substr(mark + 1);
        uri = uri.substr(0, mark);
    }
    std::size_t end = 0;
    while (end < uri.size() && is_scheme_character(uri[end])) ++end;
    if (end > 0 && end < uri.size() && uri[end] == ':' && ascii::is_letter(uri[0])) {
        parts.scheme = uri.substr(0, end);
        uri = uri.substr(end + 1);
    }
    if (uri.starts_with("//")) {
        auto const slash = uri.find('/', 2);
        parts.authority = uri.substr(2, slash == uri.npos ? uri.npos : slash - 2);
        uri = slash == uri.npos ? std::string_view() : uri.substr(slash);
    }
    parts.path = uri;
    return parts;
}

// Implements RFC 3986, section 5.2.4, on whole segments.
std::string remove_dot_segments(std::string_view path) {
    std::string out;
    bool const rooted = path.starts_with('/');
    if (rooted) path.remove_prefix(1);
    std::size_t const floor = rooted ? 1 : 0;
    if (rooted) out = "/";
    for (bool more = true; more;) {
        auto const slash = path.find('/');
        more = slash != path.npos;
        auto const segment = path.substr(0, slash);
        if (more) path.remove_prefix(slash + 1);
        if (segment == "..") {
            // `out` ends with the slash after the segment to remove.
            if (out.size() > floor) {
                out.pop_back();
                auto const before = out.rfind('/');
                out.resize(before == out.npos ? 0 : before + 1);
            }
        } else if (segment != ".") {
            out += segment;
            if (more) out += '/';
        }
    }
    return out;
}

std::string merge(Parts const& base, std::string_view path) {
    if (base.authority && base.path.empty()) return "/" + std::string(path);
    auto const slash = base.path.rfind('/');
    std::string out(slash == base.path.npos ? std::string_view() : base.path.substr(0, slash + 1));
    out += path;
    return out;
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
    if (base.empty()) return std::string(reference);
    Parts const from = split(base);
    Parts const to = split(reference);
    auto scheme = to.scheme;
    auto authority = to.authority;
    auto query = to.query;
    std::string path;
    if (scheme || authority) {
        path = scheme && !authority && !to.path.starts_with('/') ? std::string(to.path)
                                                                 : remove_dot_segments(to.path);
    } else {
        authority = from.authority;
        if (to.path.empty()) {
            path = from.path;
            if (!query) query = from.query;
        } else {
            path = remove_dot_segments(to.path.starts_with('/') ? std::string(to.path)
                                                                : merge(from, to.path));
        }
    }
    if (!scheme) scheme = from.scheme;

    std::string out;
    if (scheme) out.append(*scheme).append(":");
    if (authority) out.append("//").append(*authority);
    out += path;
    if (query) out.append("?").append(*query);
    if (to.fragment) out.append("#").append(*to.fragment);
    return out;
}

SplitUri split_fragment(std::string_view uri) noexcept {
    auto const hash = uri.find('#');
    if (hash == uri.npos) return {uri, {}};
    return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        int const high = ascii::hex_value(text[i + 1]);
        int const low = ascii::hex_value(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::string percent_encode_fragment(std::string_view text) {
    constexpr std::string_view plain = "-._~!$&'()*+,;=:@/?";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (char const c : text) {
        if (ascii::is_letter(c) || (c >= '0' && c <= '9') || plain.find(c) != plain.npos) {
            out += c;
        } else {
            auto const byte = static_cast<unsigned char>(c);
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15U];
        }
    }
    return out;
}

}  // namespace lanyard

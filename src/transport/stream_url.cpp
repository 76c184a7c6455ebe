#include "transport/stream_url.hpp"

#include <array>

#include "base/ascii.hpp"
#include "base/authority.hpp"
#include "lanyard/transport/stream.hpp"

namespace lanyard {

namespace {

using transport::StreamUrl;

struct Scheme {
    std::string_view text;
    StreamUrl::Kind kind;
};

constexpr std::array schemes{Scheme{"tcp://", StreamUrl::Kind::tcp},
                             Scheme{"tls://", StreamUrl::Kind::tls},
                             Scheme{"unix:", StreamUrl::Kind::local}};

Scheme const* scheme_of(std::string_view url) noexcept {
    for (auto const& scheme : schemes) {
        auto const size = scheme.text.size();
        if (url.size() >= size && ascii::equals_ignoring_case(url.substr(0, size), scheme.text)) {
            return &scheme;
        }
    }
    return nullptr;
}

Unexpected<DecodeError> refuse(std::string why) {
    return Unexpected(DecodeError{"", std::move(why)});
}

Result<StreamUrl, DecodeError> parse_path(std::string_view path) {
    // "unix:///path" has an empty host, as file: URLs do.
    if (path.starts_with("///")) path.remove_prefix(2);
    if (path.empty()) return refuse("the path of the socket is missing");
    if (path.starts_with("//")) return refuse("a Unix socket has a path and no host");
    if (path.find('\0') != path.npos) return refuse("the path has a NUL in it");
    if (path.size() > StreamUrl::max_path_bytes) {
        return refuse("the path is longer than " + std::to_string(StreamUrl::max_path_bytes) +
                      " bytes, the most a Unix socket can have");
    }
    StreamUrl url;
    url.kind = StreamUrl::Kind::local;
    url.path = path;
    url.loopback = true;
    return url;
}

}  // namespace

bool is_stream_url(std::string_view url) noexcept {
    return scheme_of(url) != nullptr;
}

namespace transport {

Result<StreamUrl, DecodeError> StreamUrl::parse(std::string_view text) {
    auto const* const scheme = scheme_of(text);
    if (scheme == nullptr) return refuse("the URL must begin with tcp://, tls:// or unix:");
    auto rest = text.substr(scheme->text.size());
    if (scheme->kind == Kind::local) return parse_path(rest);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    auto const authority = parse_authority(rest);
    if (!authority) return refuse("\"" + std::string(rest) + "\" is not a host and a port");
    if (!authority->port) return refuse("the port is missing");
    StreamUrl url;
    url.kind = scheme->kind;
    url.host = authority->host.view();
    url.port = *authority->port;
    url.loopback = authority->host.is_loopback();
    return url;
}

std::string StreamUrl::to_string() const {
    if (kind == Kind::local) return "unix:" + path;
    auto const shown = host.find(':') == host.npos ? host : "[" + host + "]";
    return (kind == Kind::tls ? "tls://" : "tcp://") + shown + ":" + std::to_string(port);
}

}  // namespace transport

}  // namespace lanyard

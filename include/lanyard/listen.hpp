// Serves at a URL.
#pragma once

#include <memory>
#include <string_view>

#include <lanyard/http/listen.hpp>
#include <lanyard/transport/stream.hpp>

namespace lanyard {

/// Listens at an http://, tcp:// or unix: URL with default options. To set options, use the
/// overloads of listen() that take HttpServerOptions or StreamServerOptions.
inline std::unique_ptr<UrlListener> listen(std::string_view url) {
    if (is_stream_url(url)) return lanyard::listen(url, StreamServerOptions());
    return lanyard::listen(url, HttpServerOptions());
}

}  // namespace lanyard

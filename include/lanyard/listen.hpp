// Serving at a URL.
#pragma once

#include <memory>
#include <string_view>

#include <lanyard/http/listen.hpp>

namespace lanyard {

/// Listens at an http:// URL with the defaults for all else; see listen() with options for more.
inline std::unique_ptr<UrlListener> listen(std::string_view url) {
    return lanyard::listen(url, HttpServerOptions());
}

}  // namespace lanyard

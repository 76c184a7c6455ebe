// What the recipe for web services needs from an HTTP library: docs/cookbook.md.
#pragma once

#include <stop_token>
#include <string>

// [http]
struct HttpAnswer {
    int status = 0;
    std::string body;
};

// Yours, with libcurl, cpp-httplib, Boost.Beast, ... It may block. It ends early if `stop` is
// requested.
HttpAnswer http_get(std::string const& url, std::stop_token stop);
// [/http]

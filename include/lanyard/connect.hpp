// Connecting by URL.
#pragma once

#include <string>
#include <utility>

#include <lanyard/client/blocking.hpp>
#include <lanyard/client/client.hpp>
#include <lanyard/http/client.hpp>

namespace lanyard {

/// Opens a connection to the server at an http:// or https:// URL: connect() with http_connector().
inline Task<Client> connect(std::string url, ClientOptions const& options = {},
                            HttpClientOptions http = {}) {
    return lanyard::connect(http_connector(std::move(url), std::move(http)), options);
}

namespace blocking {

/// The same on a thread of the client's own.
inline Client connect(std::string url, ClientOptions const& options = {},
                      HttpClientOptions http = {}) {
    return blocking::connect(http_connector(std::move(url), std::move(http)), options);
}

}  // namespace blocking

}  // namespace lanyard

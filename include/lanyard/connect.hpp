// Connects a client by URL.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <lanyard/client/blocking.hpp>
#include <lanyard/client/client.hpp>
#include <lanyard/http/client.hpp>
#include <lanyard/transport/stream.hpp>

namespace lanyard {

/// Returns the connector for a URL: http://, https://, ws://, wss://, tcp://, tls:// or unix:.
inline std::unique_ptr<Connector> url_connector(std::string url) {
    if (is_stream_url(url)) return stream_connector(std::move(url));
    return http_connector(std::move(url));
}

/// Connects to the server at a URL. Same as connect() with the connector url_connector(url).
inline Task<Client> connect(std::string url, ClientOptions const& options = {}) {
    return lanyard::connect(url_connector(std::move(url)), options);
}
/// Same as connect() by URL, with options for http://, https://, ws:// and wss:// URLs.
inline Task<Client> connect(std::string url, ClientOptions const& options, HttpClientOptions http) {
    return lanyard::connect(http_connector(std::move(url), std::move(http)), options);
}
/// Same as connect() by URL, with options for tcp://, tls:// and unix: URLs.
inline Task<Client> connect(std::string url, ClientOptions const& options,
                            StreamClientOptions stream) {
    return lanyard::connect(stream_connector(std::move(url), std::move(stream)), options);
}

namespace blocking {

/// The following functions are the three overloads of connect() above, for blocking clients.
inline Client connect(std::string url, ClientOptions const& options = {}) {
    return blocking::connect(url_connector(std::move(url)), options);
}
inline Client connect(std::string url, ClientOptions const& options, HttpClientOptions http) {
    return blocking::connect(http_connector(std::move(url), std::move(http)), options);
}
inline Client connect(std::string url, ClientOptions const& options, StreamClientOptions stream) {
    return blocking::connect(stream_connector(std::move(url), std::move(stream)), options);
}

}  // namespace blocking

}  // namespace lanyard

// URLs of streams: "tcp://host:port", "tls://host:port", "unix:/path".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lanyard/error.hpp"
#include "lanyard/result.hpp"

namespace lanyard::transport {

struct StreamUrl {
    enum class Kind : std::uint8_t { tcp, tls, local };

    /// The longest path a Unix socket can have.
    static constexpr std::size_t max_path_bytes = 107;

    static Result<StreamUrl, DecodeError> parse(std::string_view text);

    Kind kind = Kind::tcp;
    std::string host{};  ///< a name, or an address; IPv6 without brackets
    std::uint16_t port = 0;
    std::string path{};     ///< the path of a Unix socket
    bool loopback = false;  ///< whether the address is reachable from this machine only

    std::string to_string() const;
    bool operator==(StreamUrl const&) const = default;
};

}  // namespace lanyard::transport

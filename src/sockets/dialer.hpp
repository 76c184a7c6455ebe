// Dialer: resolves a host name and connects to the first address that accepts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "lanyard/task.hpp"

namespace lanyard::sockets {

/// Can be used for one connection and on one executor only. Must live until dial() has completed.
class Dialer {
public:
    explicit Dialer(boost::asio::any_io_executor const& executor);

    /// Connects to a host, given as a name or as an address without brackets. Throws Error
    /// (unavailable) if no connection can be made or cancel() is called.
    Task<boost::asio::ip::tcp::socket> dial(std::string host, std::uint16_t port);
    void cancel() noexcept;

private:
    struct Lookup;
    Task<std::vector<boost::asio::ip::tcp::endpoint>> resolve(std::string const& host,
                                                              std::uint16_t port);

    boost::asio::ip::tcp::socket socket_;
    boost::asio::ip::tcp::resolver resolver_;
    std::shared_ptr<Lookup> lookup_;
    bool cancelled_ = false;
};

}  // namespace lanyard::sockets

// forward(): has a request answered by another loop, without moving the connection of the request.
#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "http/server/request_handler.hpp"

namespace lanyard::http {

class ServerLoop;

/// Sends the request from the executor `here` to the loop `to`, which runs on the executor `there`,
/// and copies the response of that loop to `reply`. If the client disconnects, the other loop stops
/// serving the request. If the other loop ends before it has answered, the client gets a 503, or
/// loses the connection if the response has begun.
///
/// The other loop serves the request with a Connection that has no socket: the Connection reads the
/// request and writes the response, and all its limits and timeouts apply. At most 256 KiB of a
/// response are on their way between the loops.
void forward(boost::asio::any_io_executor const& here, boost::asio::any_io_executor const& there,
             std::weak_ptr<ServerLoop> const& to, HttpRequest const& request, Reply& reply);

}  // namespace lanyard::http

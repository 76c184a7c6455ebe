// Opens the sessions of clients.
#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "client/client_session.hpp"
#include "lanyard/client/client.hpp"

namespace lanyard::client {

/// Opens a session on the transport. If the transport is null, the connector opens one. The
/// connector is used again if the probe made the server exit, and for every reconnect.
Task<std::shared_ptr<ClientSession>> open_session(std::unique_ptr<Transport> transport,
                                                  std::unique_ptr<Connector> connector,
                                                  ClientOptions options);
/// Creates a client without waiting for a connection. The client opens its first connection on this
/// executor, in the same way as it reconnects.
Client start_client_on(boost::asio::any_io_executor executor, std::unique_ptr<Connector> connector,
                       ClientOptions const& options);

}  // namespace lanyard::client

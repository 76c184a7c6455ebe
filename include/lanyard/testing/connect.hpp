// connect(): connects a client to a server in the same process, for tests.
#pragma once

#include <lanyard/client/client.hpp>
#include <lanyard/client/options.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/server/server.hpp>
#include <lanyard/task.hpp>

namespace lanyard::testing {

/// Connects a client to the server in memory, with the newest protocol revision of this era.
/// Completes when calls can be made. The server serves the connection on the calling executor until
/// the last copy of the client is destroyed, so the server must live that long.
///
/// Throws what lanyard::connect() throws. For tests in virtual time, pass the same FakeTime to
/// ServerOptions and ClientOptions.
Task<Client> connect(Server& server, Era era, ClientOptions options = {});
/// Same as above, with this protocol revision instead of the newest one of an era.
Task<Client> connect(Server& server, Version version, ClientOptions options = {});

}  // namespace lanyard::testing

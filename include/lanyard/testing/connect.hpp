// connect(): a client of a server in the same process, for tests of either.
#pragma once

#include <lanyard/client/client.hpp>
#include <lanyard/client/options.hpp>
#include <lanyard/protocol/era.hpp>
#include <lanyard/server/server.hpp>
#include <lanyard/task.hpp>

namespace lanyard::testing {

/// Connects a client in memory, speaking the newest revision of this era. Completes when calls can
/// be made. The server serves the connection on the executor this runs on, until the last copy of
/// the client is gone; it must live that long.
///
/// Throws as lanyard::connect() does. For tests in virtual time give the same FakeTime to
/// ServerOptions and ClientOptions.
Task<Client> connect(Server& server, Era era, ClientOptions options = {});
/// The same with one revision.
Task<Client> connect(Server& server, Version version, ClientOptions options = {});

}  // namespace lanyard::testing

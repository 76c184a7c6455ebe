#include "lanyard/testing/connect.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "lanyard/transport/memory.hpp"

namespace lanyard::testing {

Task<Client> connect(Server& server, Era era, ClientOptions options) {
    auto const newest = era == Era::modern ? newest_version : newest_legacy_version;
    return connect(server, newest, std::move(options));
}

Task<Client> connect(Server& server, Version version, ClientOptions options) {
    auto const executor = co_await boost::asio::this_coro::executor;
    auto ends = memory_pair(executor, executor);
    boost::asio::co_spawn(executor, server.serve(std::move(ends.second)), boost::asio::detached);
    std::vector<Version> const only = {version};
    options.versions(only).preferred_version(version);
    auto client = co_await lanyard::connect(std::move(ends.first), options);
    co_return client;
}

}  // namespace lanyard::testing

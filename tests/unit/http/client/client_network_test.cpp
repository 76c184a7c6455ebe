// The limits of the connections of a client.
#include "http/client/client_network.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

namespace lanyard::http {
namespace {

// The message is never sent, because it has to wait for the session.
std::exception_ptr read_after(std::size_t bytes) {
    boost::asio::io_context context;
    auto const options = HttpClientOptions().no_proxy().hard_unsent_bytes(1000);
    auto const network = std::make_shared<ClientNetwork>(
        context.get_executor(), plan_route("http://a.example", options), options);
    rpc::Outbox outbox;
    std::string const start = R"({"jsonrpc":"2.0","method":"notifications/x","params":{"a":")";
    std::string const end = R"("}})";
    outbox.begin() += start + std::string(bytes - start.size() - end.size(), 'x') + end;
    outbox.end();
    network->send(outbox);
    std::exception_ptr failure;
    boost::asio::co_spawn(context, network->read(),
                          [&](std::exception_ptr const& error, auto const&) { failure = error; });
    context.poll();
    network->abandon();
    context.restart();
    context.poll();
    return failure;
}

TEST(ClientNetwork, fails_when_the_server_leaves_too_many_bytes) {
    EXPECT_FALSE(read_after(1000));
    auto const failure = read_after(1001);
    ASSERT_TRUE(failure);
    try {
        std::rethrow_exception(failure);
    } catch (Error const& error) {
        EXPECT_TRUE(error.is(Errc::busy)) << error.what();
    }
}

}  // namespace
}  // namespace lanyard::http

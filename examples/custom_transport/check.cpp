// Checks whether the transport fulfils the contract of lanyard/transport.hpp.
#include <iostream>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/this_coro.hpp>

#include <lanyard/testing/validate_transport.hpp>

#include "netstring_transport.hpp"

lanyard::Task<lanyard::testing::TransportPair> make_pair() {
    auto const executor = co_await boost::asio::this_coro::executor;
    netstring::Socket one(executor);
    netstring::Socket two(executor);
    boost::asio::local::connect_pair(one, two);
    lanyard::testing::TransportPair pair;
    pair.first = std::make_unique<netstring::Transport>(std::move(one));
    pair.second = std::make_unique<netstring::Transport>(std::move(two));
    co_return pair;
}

lanyard::Task<int> check() {
    auto const report = co_await lanyard::testing::validate_transport(make_pair);
    std::cout << report.to_string();
    co_return report.passed() ? 0 : 1;
}

int main() {
    return lanyard::run(check());
}

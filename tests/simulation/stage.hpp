// The state shared by the parts of a world with a server and clients.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "lanyard/testing/fake_time.hpp"
#include "network.hpp"
#include "world.hpp"

namespace lanyard::simulation {

/// A connection between a client and the server.
struct Connection {
    std::shared_ptr<Link> link;
    bool keeps_alive;  ///< the server pings this client
    bool served = true;
};

struct Stage {
    Stage(std::uint64_t seed, bool prints, Defect does_wrong)
        : world(seed, prints), defect(does_wrong), random(seed), time(world.now) {}

    void violate(std::string const& what) {
        if (violation.empty()) violation = what;
    }

    World world;
    Defect defect;
    SeededRandom random;
    testing::FakeTime time;
    std::string violation;
    std::vector<std::shared_ptr<Connection>> connections;
    std::map<std::string, int> runs;         // how often a handler ran for a token
    std::multiset<std::string> working;      // tokens whose handler has not returned
    std::map<std::string, TimePoint> ended;  // when a call ended
    std::array<int, 3> editions{};           // how often each resource has changed
    int transports = 0;
    int calls_begun = 0;
    int calls_ended = 0;
    int served = 0;
    boost::asio::io_context context;  // last, because pending operations use the members above
};

/// The URI of the resource with this number.
inline std::string resource_uri(std::size_t number) {
    return "simulated://resource/" + std::to_string(number);
}

}  // namespace lanyard::simulation

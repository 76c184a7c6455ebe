// The short form of the fuzz target fuzz_http_session: pseudo-random scripts, the same in every
// run.
#include "session_script.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lanyard::test {
namespace {

TEST(SessionScript, every_message_reaches_its_stream_under_random_operations) {
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::vector<std::uint8_t> bytes(50 + random() % 150);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        SessionScript(bytes).run();
    }
}

}  // namespace
}  // namespace lanyard::test

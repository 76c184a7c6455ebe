// Sessions over HTTP: whatever clients and the server do, in whatever order, every message arrives
// once and on the right stream, and nothing is left over. The input is a script of actions.
#include <cstdint>

#include "unit/http/mcp/session_script.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    constexpr std::size_t longest = 400;
    lanyard::test::SessionScript script({data, std::min(size, longest)});
    script.run();
    return 0;
}

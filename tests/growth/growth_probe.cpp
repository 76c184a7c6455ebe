// Runs operations on large inputs, each at a size and at twice that size, under callgrind:
// check_growth compares the instructions. Doubling an input may at most multiply the cost by 2.3.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <valgrind/callgrind.h>

#include "growth_cases.hpp"

namespace lanyard::growth {
namespace {

void measure(Case const& growth_case, std::size_t size) {
    auto const run = growth_case.prepare(size);
    auto const label = growth_case.name + " " + std::to_string(size);
    CALLGRIND_ZERO_STATS;
    run();
    CALLGRIND_DUMP_STATS_AT(label.c_str());
}

}  // namespace
}  // namespace lanyard::growth

int main() {
    using namespace lanyard::growth;
    for (auto const& list :
         {codec_cases(), http_cases(), json_cases(), rpc_cases(), server_cases()}) {
        for (auto const& growth_case : list) {
            // Runs once before, so that one-time work is not counted.
            growth_case.prepare(64)();
            measure(growth_case, growth_case.size);
            measure(growth_case, 2 * growth_case.size);
        }
    }
    return 0;
}

// Requests: however the bytes are split, the same requests come out, within the limits; Beast's
// parser reads every accepted request in the same way. The first two bytes choose the limit of the
// body and the pieces; the rest is the stream.
#include <cstdint>
#include <string_view>

#include "fuzz/require.hpp"
#include "support/beast_oracle.hpp"
#include "support/http.hpp"

using namespace lanyard;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size < 2) return 0;
    http::RequestLimits limits;
    limits.max_body_bytes = data[0];
    limits.max_head_bytes = 512;
    std::string_view const stream(reinterpret_cast<char const*>(data) + 2, size - 2);
    fuzz::require(test::requests_of(test::cut_by(stream, data[1]), limits) ==
                      test::requests_of({stream}, limits),
                  "the requests depend on how the stream is cut");
    auto const ours = test::requests_by_us(stream);
    fuzz::require(test::requests_by_beast(stream, ours.size()) == ours,
                  "Beast reads the stream in another way");
    return 0;
}

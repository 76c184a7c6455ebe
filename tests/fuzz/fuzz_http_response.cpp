// Responses: however the bytes are split, the same responses come out. The first two bytes choose
// the limit of the body and the pieces; the rest is the stream.
#include <cstdint>
#include <string_view>

#include "fuzz/require.hpp"
#include "support/http.hpp"

using namespace lanyard;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size < 2) return 0;
    http::ResponseLimits limits;
    limits.max_body_bytes = std::size_t{data[0]} * 256;
    limits.max_head_bytes = 512;
    std::string_view const stream(reinterpret_cast<char const*>(data) + 2, size - 2);
    // If the length of a body is not announced, the part that precedes a refusal depends on the
    // pieces.
    if (stream.size() > limits.max_body_bytes) return 0;
    fuzz::require(test::responses_of(test::cut_by(stream, data[1]), limits) ==
                      test::responses_of({stream}, limits),
                  "the responses depend on how the stream is cut");
    return 0;
}

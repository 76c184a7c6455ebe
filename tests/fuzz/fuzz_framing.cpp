// The stream readers: however the bytes are split, the same frames come out, within the limit. The
// first two bytes choose the limit and the pieces; the rest is the stream.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.hpp"
#include "jsonrpc/framing.hpp"
#include "support/framing.hpp"

namespace {

using namespace lanyard;

std::vector<std::string_view> cut(std::string_view stream, std::uint8_t seed) {
    std::vector<std::string_view> chunks;
    std::uint32_t state = seed;
    while (!stream.empty()) {
        state = state * 1'664'525 + 1'013'904'223;
        auto const chunk = stream.substr(0, (state >> 24) % 13);
        chunks.push_back(chunk);
        stream.remove_prefix(chunk.size());
    }
    return chunks;
}

template <class Reader>
std::vector<std::string> check(std::string_view stream, std::size_t limit, std::uint8_t seed) {
    auto const whole = test::frames_of(Reader(limit), {stream});
    fuzz::require(test::frames_of(Reader(limit), cut(stream, seed)) == whole,
                  "the frames depend on how the stream is cut");
    for (auto const& frame : whole) {
        fuzz::require(!frame.starts_with('>') || frame.size() <= limit + 1,
                      "a message exceeds the limit");
    }
    return whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size < 2) return 0;
    std::size_t const limit = data[0];
    auto const seed = data[1];
    std::string_view const stream(reinterpret_cast<char const*>(data) + 2, size - 2);
    for (auto const& frame : check<rpc::LineReader>(stream, limit, seed)) {
        fuzz::require(frame.find('\n') == std::string::npos, "a message is more than one line");
    }
    check<rpc::ContentLengthReader>(stream, limit, seed);
    return 0;
}

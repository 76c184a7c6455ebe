// Event streams: however the bytes are split, the same events come out, within the limit; and any
// data that is written is read as exactly one event. The first two bytes choose the limit and the
// pieces; the rest is the stream.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.hpp"
#include "http/message/sse_parser.hpp"
#include "http/message/sse_writer.hpp"
#include "support/http.hpp"

using namespace lanyard;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size < 2) return 0;
    std::size_t const limit = data[0];
    std::string_view const stream(reinterpret_cast<char const*>(data) + 2, size - 2);

    auto const whole = test::events_of({stream}, limit);
    fuzz::require(test::events_of(test::cut_by(stream, data[1]), limit) == whole,
                  "the events depend on how the stream is cut");

    auto const part = stream.substr(0, stream.size() / 2);
    std::string written, in_place;
    http::SseFields const fields{.id = part, .event = part};
    http::append_event(written, fields, stream);
    auto const begin = http::begin_event(in_place, fields);
    in_place += stream;
    http::end_event(in_place, begin);
    fuzz::require(written == in_place, "the two ways to write an event differ");
    if (part.size() > http::SseParser::max_name_bytes) return 0;
    fuzz::require(test::events_of({written}).size() == 1, "what is written is not one event");
    return 0;
}

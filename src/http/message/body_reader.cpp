#include "http/message/body_reader.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace lanyard::http {
namespace {

constexpr std::size_t max_extras_bytes = 16 * 1024;
constexpr std::uint8_t max_size_digits = 16;

}  // namespace

void BodyReader::begin(BodyFraming const& framing, std::uint64_t max_bytes) noexcept {
    room_ = max_bytes;
    remaining_ = 0;
    extras_bytes_ = 0;
    size_digits_ = 0;
    switch (framing.kind) {
        case BodyFraming::Kind::none:
            stage_ = Stage::done;
            break;
        case BodyFraming::Kind::length:
            remaining_ = framing.length;
            stage_ = remaining_ > 0 ? Stage::length : Stage::done;
            if (remaining_ > room_) overflow();
            break;
        case BodyFraming::Kind::chunked:
            stage_ = Stage::chunk_size;
            break;
        case BodyFraming::Kind::until_close:
            stage_ = Stage::until_close;
            break;
    }
}

BodyReader::Step BodyReader::fail(std::string_view fault) noexcept {
    fault_ = fault;
    stage_ = Stage::failed;
    return failure_ = Step::malformed;
}

BodyReader::Step BodyReader::overflow() noexcept {
    stage_ = Stage::failed;
    return failure_ = Step::too_large;
}

BodyReader::Step BodyReader::expect(char c, char wanted, Stage next) noexcept {
    if (c != wanted) return fail("a line of the chunked body does not end with CR LF");
    stage_ = next;
    return Step::more;
}

// Skips one byte of a chunk extension or a trailer. Fails if this reader refuses extensions and
// trailers.
BodyReader::Step BodyReader::skip(char c, Stage stage, std::string_view refusal) noexcept {
    if (c == '\n') return expect(c, '\r', stage);
    if (extras_ == Extras::refused) return fail(refusal);
    if (++extras_bytes_ > max_extras_bytes)
        return fail("chunk extensions or trailers are too long");
    stage_ = stage;
    return Step::more;
}

// Processes one byte of the chunked framing, which consists of the size lines of chunks, the line
// ends after chunks, and the trailers.
BodyReader::Step BodyReader::take_framing(char c) noexcept {
    switch (stage_) {
        case Stage::chunk_size: {
            auto const digit = ascii::hex_value(c);
            if (digit >= 0) {
                if (++size_digits_ > max_size_digits)
                    return fail("a chunk size has too many digits");
                remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
                if (remaining_ > room_) return overflow();
                return Step::more;
            }
            if (size_digits_ == 0) return fail("a chunk has no size");
            if (c == '\r') {
                stage_ = Stage::chunk_size_lf;
                return Step::more;
            }
            if (c != ';' && c != ' ' && c != '\t') return fail("a chunk size is not hexadecimal");
            return skip(c, Stage::chunk_extension, "chunk extensions are not accepted");
        }
        case Stage::chunk_extension:
            if (c == '\r') {
                stage_ = Stage::chunk_size_lf;
                return Step::more;
            }
            return skip(c, Stage::chunk_extension, {});
        case Stage::chunk_size_lf:
            size_digits_ = 0;
            return expect(c, '\n', remaining_ > 0 ? Stage::chunk_data : Stage::trailer);
        case Stage::chunk_data_cr:
            return expect(c, '\r', Stage::chunk_data_lf);
        case Stage::chunk_data_lf:
            return expect(c, '\n', Stage::chunk_size);
        case Stage::trailer:
            if (c == '\r') {
                stage_ = Stage::last_lf;
                return Step::more;
            }
            return skip(c, Stage::trailer_line, "trailers are not accepted");
        case Stage::trailer_line:
            if (c == '\r') {
                stage_ = Stage::trailer_line_lf;
                return Step::more;
            }
            return skip(c, Stage::trailer_line, {});
        case Stage::trailer_line_lf:
            return expect(c, '\n', Stage::trailer);
        default:  // last_lf
            return expect(c, '\n', Stage::done);
    }
}

BodyReader::Step BodyReader::next(std::string_view& input) noexcept {
    for (;;) {
        switch (stage_) {
            case Stage::done:
                return Step::done;
            case Stage::failed:
                return failure_;
            case Stage::length:
            case Stage::chunk_data:
                if (input.empty()) return Step::more;
                data_ = input.substr(
                    0, static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, input.size())));
                remaining_ -= data_.size();
                room_ -= data_.size();
                if (remaining_ == 0) {
                    stage_ = stage_ == Stage::length ? Stage::done : Stage::chunk_data_cr;
                }
                input.remove_prefix(data_.size());
                return Step::data;
            case Stage::until_close:
                if (input.empty()) return Step::more;
                if (input.size() > room_) return overflow();
                data_ = input;
                room_ -= data_.size();
                input = {};
                return Step::data;
            default:
                if (input.empty()) return Step::more;
                take_framing(input.front());
                input.remove_prefix(1);
        }
    }
}

}  // namespace lanyard::http

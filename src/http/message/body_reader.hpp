// Reads the body of an HTTP/1.1 message (RFC 9112, sections 6 and 7): by length, in chunks, or up
// to the end of the connection. No I/O. The data is returned as views into the input, without a
// copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/fields.hpp"

namespace lanyard::http {

class BodyReader {
public:
    enum class Step : std::uint8_t {
        more,       ///< all input was read, and the body is not complete
        data,       ///< data() is the next piece, a view into the input
        done,       ///< the body has ended; the remaining input comes after the body
        too_large,  ///< the received or announced size exceeds the limit
        malformed,  ///< fault() describes the error
    };

    /// How to treat chunk extensions and trailer fields, which this library does not use. A server
    /// refuses them: clients do not need them, and they have been used in many attacks. A client
    /// skips them.
    enum class Extras : std::uint8_t { refused, skipped };

    explicit BodyReader(Extras extras) noexcept : extras_(extras) {}

    /// Starts reading the body of the next message.
    void begin(BodyFraming const& framing, std::uint64_t max_bytes) noexcept;
    /// Reads from the front of the input and removes the bytes it has read.
    Step next(std::string_view& input) noexcept;
    std::string_view data() const noexcept { return data_; }
    std::string_view fault() const noexcept { return fault_; }

    /// Whether the body is complete if the connection ends now.
    bool complete_at_end() const noexcept {
        return stage_ == Stage::done || stage_ == Stage::until_close;
    }

private:
    enum class Stage : std::uint8_t {
        done,
        failed,
        length,
        until_close,
        chunk_size,
        chunk_extension,
        chunk_size_lf,
        chunk_data,
        chunk_data_cr,
        chunk_data_lf,
        trailer,       // at the beginning of a trailer line
        trailer_line,  // inside a trailer line
        trailer_line_lf,
        last_lf,
    };

    Step take_framing(char c) noexcept;
    Step expect(char c, char wanted, Stage next) noexcept;
    Step skip(char c, Stage stage, std::string_view refusal) noexcept;
    Step fail(std::string_view fault) noexcept;
    Step overflow() noexcept;

    std::uint64_t room_ = 0;       // number of data bytes that the limit still allows
    std::uint64_t remaining_ = 0;  // number of bytes of the current chunk, or of a body of known
                                   // length, that have not been received yet
    std::size_t extras_bytes_ = 0;
    std::string_view data_;
    std::string_view fault_;
    Extras extras_;
    Stage stage_ = Stage::done;
    Step failure_ = Step::malformed;
    std::uint8_t size_digits_ = 0;
};

}  // namespace lanyard::http

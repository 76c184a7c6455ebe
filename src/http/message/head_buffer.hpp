// Collects the head of an HTTP/1.1 message (RFC 9112, section 2): a start line and field lines,
// each ended by CR LF, then an empty line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "jsonrpc/framing.hpp"

namespace lanyard::http {

/// Stores a copy of one head until clear() is called, so that views into the head stay valid when
/// the input is gone. Every byte is scanned once.
class HeadBuffer {
public:
    enum class Step : std::uint8_t {
        more,       ///< all input was taken, and the head is not complete
        complete,   ///< the head is complete; the remaining input comes after the head
        too_long,   ///< the head exceeds the limit
        malformed,  ///< fault() describes the error
    };

    explicit HeadBuffer(std::size_t max_bytes) noexcept
        : bytes_(max_bytes), max_bytes_(max_bytes) {}

    /// Reads from the front of the input and removes the bytes it has read.
    Step take(std::string_view& input);
    /// Overwrites the bytes of the head from offset `at` on. The size of the head does not change.
    void replace(std::size_t at, std::string_view bytes) noexcept;
    void clear() noexcept;
    /// Clears the buffer and frees its memory.
    void release() noexcept;

    bool empty() const noexcept { return bytes_.size() == 0; }
    std::size_t size() const noexcept { return bytes_.size(); }
    std::size_t capacity() const noexcept { return bytes_.capacity(); }
    std::string_view fault() const noexcept { return fault_; }
    /// All bytes taken so far.
    std::string_view view() const noexcept { return bytes_.view(); }

    /// Whether the start line has arrived.
    bool has_start_line() const noexcept { return fields_begin_ > 0; }
    /// The start line without its CR LF.
    std::string_view start_line() const noexcept;
    /// The field lines, each with its CR LF, without the empty line. The head must be complete.
    std::string_view field_lines() const noexcept;

private:
    Step end_line(char first, std::size_t size, bool has_cr) noexcept;

    rpc::PartialMessage bytes_;
    std::size_t max_bytes_;
    std::size_t fields_begin_ = 0;  // offset of the first field line; 0 until the start line is
                                    // complete
    std::size_t line_begin_ = 0;    // offset of the current line
    std::string_view fault_;
};

}  // namespace lanyard::http

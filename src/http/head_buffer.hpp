// Collects the head of an HTTP/1.1 message (RFC 9112, section 2): a start line and field lines,
// each ended by CR LF, then an empty line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rpc/framing.hpp"

namespace lanyard::http {

/// Holds the bytes of one head until it is cleared, so that views into it outlive the input. Every
/// byte is looked at once.
class HeadBuffer {
public:
    enum class Step : std::uint8_t {
        more,       ///< the input is used up
        complete,   ///< what is left of the input follows the head
        too_long,   ///< the head exceeds the limit
        malformed,  ///< fault() says why
    };

    explicit HeadBuffer(std::size_t max_bytes) noexcept
        : bytes_(max_bytes), max_bytes_(max_bytes) {}

    /// Takes from the front of the input.
    Step take(std::string_view& input);
    /// Writes over a part of the head, which stays as long as it is.
    void replace(std::size_t at, std::string_view bytes) noexcept;
    void clear() noexcept;
    /// Gives the memory back too.
    void release() noexcept;

    bool empty() const noexcept { return bytes_.size() == 0; }
    std::size_t size() const noexcept { return bytes_.size(); }
    std::size_t capacity() const noexcept { return bytes_.capacity(); }
    std::string_view fault() const noexcept { return fault_; }
    /// All that was taken.
    std::string_view view() const noexcept { return bytes_.view(); }

    /// Whether the start line has arrived.
    bool has_start_line() const noexcept { return fields_begin_ > 0; }
    /// Without its CR LF.
    std::string_view start_line() const noexcept;
    /// With the CR LF of each, without the empty line. The head must be complete.
    std::string_view field_lines() const noexcept;

private:
    Step end_line(char first, std::size_t size, bool has_cr) noexcept;

    rpc::PartialMessage bytes_;
    std::size_t max_bytes_;
    std::size_t fields_begin_ = 0;  // behind the start line, once that is there
    std::size_t line_begin_ = 0;    // of the present line
    std::string_view fault_;
};

}  // namespace lanyard::http

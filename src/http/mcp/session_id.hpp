// SessionId: the id of an HTTP session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanyard::http {

/// The id of a session. The text is stored inline, to save memory: there may be many sessions.
class SessionId {
public:
    static constexpr std::size_t max_size = 24;

    /// `text` must not be longer than max_size.
    explicit SessionId(std::string_view text) noexcept
        : size_(static_cast<std::uint8_t>(text.copy(text_.data(), max_size))) {}

    std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, max_size> text_;
    std::uint8_t size_;
};

}  // namespace lanyard::http

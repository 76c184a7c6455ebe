// Punycode (RFC 3492) for single labels of domain names.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lanyard::schema {

/// The code points of a label; a label has at most 63 octets, hence at most 63 code points.
class LabelText {
public:
    static constexpr std::size_t capacity = 63;

    std::size_t size() const noexcept { return size_; }
    bool full() const noexcept { return size_ == capacity; }
    char32_t operator[](std::size_t i) const noexcept { return code_points_[i]; }
    char32_t const* begin() const noexcept { return code_points_.data(); }
    char32_t const* end() const noexcept { return begin() + size_; }

    /// Requires !full() and a position in 0..size().
    void insert(std::size_t position, char32_t code_point) noexcept;
    void push_back(char32_t code_point) noexcept { code_points_[size_++] = code_point; }

private:
    std::array<char32_t, capacity> code_points_;
    std::size_t size_ = 0;
};

/// The Punycode form of a label, without the prefix "xn--".
class PunycodeText {
public:
    /// The 63 octets of a label minus the 4 octets of the prefix.
    static constexpr std::size_t capacity = 59;

    std::string_view view() const noexcept { return {octets_.data(), size_}; }
    /// Returns false if there is no room for another octet.
    bool push_back(char octet) noexcept;

private:
    std::array<char, capacity> octets_;
    std::size_t size_ = 0;
};

/// Appends the code points that the lower-case Punycode text stands for. Returns false if the text
/// is invalid.
bool decode_punycode(std::string_view text, LabelText& label) noexcept;

/// Encodes the label; returns false if the result has more than 59 octets.
bool encode_punycode(LabelText const& label, PunycodeText& text) noexcept;

}  // namespace lanyard::schema

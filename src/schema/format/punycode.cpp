#include "schema/format/punycode.hpp"

#include <algorithm>
#include <cstdint>

#include "base/ascii.hpp"

namespace lanyard::schema {

namespace {

// RFC 3492 section 5.
constexpr std::uint32_t base = 36;
constexpr std::uint32_t t_min = 1;
constexpr std::uint32_t t_max = 26;
constexpr std::uint32_t skew = 38;
constexpr std::uint32_t damp = 700;
constexpr std::uint32_t initial_bias = 72;
constexpr std::uint32_t initial_n = 0x80;

constexpr std::uint32_t last_code_point = 0x10FFFF;

// Section 6.1.
std::uint32_t adapt(std::uint32_t delta, std::uint32_t points, bool first) noexcept {
    delta = first ? delta / damp : delta / 2;
    delta += delta / points;
    std::uint32_t k = 0;
    for (; delta > (base - t_min) * t_max / 2; k += base) delta /= base - t_min;
    return k + (base - t_min + 1) * delta / (delta + skew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) noexcept {
    return k <= bias + t_min ? t_min : std::min(k - bias, t_max);
}

// Returns the value of a digit, or `base` if the character is not a digit.
std::uint32_t digit_value(char c) noexcept {
    if (ascii::is_lower(static_cast<unsigned char>(c))) return static_cast<std::uint32_t>(c - 'a');
    if (ascii::is_digit(static_cast<unsigned char>(c)))
        return static_cast<std::uint32_t>(c - '0') + 26;
    return base;
}

char digit(std::uint32_t value) noexcept {
    return "abcdefghijklmnopqrstuvwxyz0123456789"[value];
}

}  // namespace

void LabelText::insert(std::size_t position, char32_t code_point) noexcept {
    auto const at = code_points_.begin() + static_cast<std::ptrdiff_t>(position);
    auto const end = code_points_.begin() + static_cast<std::ptrdiff_t>(size_);
    std::copy_backward(at, end, end + 1);
    *at = code_point;
    ++size_;
}

bool PunycodeText::push_back(char octet) noexcept {
    if (size_ == capacity) return false;
    octets_[size_++] = octet;
    return true;
}

bool decode_punycode(std::string_view text, LabelText& label) noexcept {
    if (text.size() > PunycodeText::capacity) return false;
    if (auto const delimiter = text.rfind('-'); delimiter != std::string_view::npos) {
        for (char const c : text.substr(0, delimiter)) {
            label.push_back(static_cast<unsigned char>(c));
        }
        text.remove_prefix(delimiter + 1);
    }
    std::uint32_t n = initial_n;
    std::uint32_t i = 0;
    std::uint32_t bias = initial_bias;
    while (!text.empty()) {
        // Every digit except the last is at least 1, so the sum grows at least as fast as the
        // weight. A sum beyond 32 bits is refused, so the weight cannot exceed 64 bits.
        std::uint64_t sum = i;
        std::uint64_t weight = 1;
        for (std::uint32_t k = base;; k += base) {
            if (text.empty()) return false;
            std::uint32_t const value = digit_value(text.front());
            text.remove_prefix(1);
            if (value == base) return false;
            sum += value * weight;
            if (sum > UINT32_MAX) return false;
            std::uint32_t const t = threshold(k, bias);
            if (value < t) break;
            weight *= base - t;
        }
        auto const points = static_cast<std::uint32_t>(label.size()) + 1;
        bias = adapt(static_cast<std::uint32_t>(sum) - i, points, i == 0);
        if (sum / points > last_code_point - n) return false;
        n += static_cast<std::uint32_t>(sum / points);
        i = static_cast<std::uint32_t>(sum % points);
        label.insert(i++, n);
    }
    return true;
}

bool encode_punycode(LabelText const& label, PunycodeText& text) noexcept {
    std::uint32_t handled = 0;
    for (char32_t const c : label) {
        if (c < initial_n) {
            if (!text.push_back(static_cast<char>(c))) return false;
            ++handled;
        }
    }
    if (handled > 0 && !text.push_back('-')) return false;
    bool first = true;
    std::uint32_t n = initial_n;
    std::uint32_t delta = 0;
    std::uint32_t bias = initial_bias;
    while (handled < label.size()) {
        char32_t next = last_code_point;
        for (char32_t const c : label) {
            if (c >= n) next = std::min(next, c);
        }
        delta += (next - n) * (handled + 1);
        n = next;
        for (char32_t const c : label) {
            if (c < n) ++delta;
            if (c != n) continue;
            std::uint32_t q = delta;
            for (std::uint32_t k = base;; k += base) {
                std::uint32_t const t = threshold(k, bias);
                if (q < t) break;
                if (!text.push_back(digit(t + (q - t) % (base - t)))) return false;
                q = (q - t) / (base - t);
            }
            if (!text.push_back(digit(q))) return false;
            bias = adapt(delta, ++handled, first);
            first = false;
            delta = 0;
        }
        ++delta;
        ++n;
    }
    return true;
}

}  // namespace lanyard::schema

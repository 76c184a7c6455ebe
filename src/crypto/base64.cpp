#include "lanyard/base64.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace lanyard::base64 {

namespace {

constexpr std::string_view letters_and_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

// A flag in the decoding tables, set for characters that are not in the alphabet. The values of
// four characters combined need only 24 bits, so the flag is still visible in the combined value.
constexpr std::uint32_t invalid = 1U << 31;

/// The tables of one alphabet. The encoder looks up two characters at a time. The decoder has one
/// table for each place in a group of four characters. The values in a table are already shifted to
/// the position that this place needs.
struct Codec {
    std::array<std::array<char, 2>, 4096> pairs{};
    std::array<std::array<std::uint32_t, 256>, 4> values{};

    constexpr explicit Codec(std::string_view last_two) {
        std::array<char, 64> alphabet{};
        for (std::size_t i = 0; i < 62; ++i) alphabet[i] = letters_and_digits[i];
        alphabet[62] = last_two[0];
        alphabet[63] = last_two[1];
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            pairs[i] = {alphabet[i >> 6], alphabet[i & 63]};
        }
        for (auto& table : values) table.fill(invalid);
        for (std::uint32_t i = 0; i < 64; ++i) {
            auto const c = static_cast<unsigned char>(alphabet[i]);
            for (std::uint32_t place = 0; place < 4; ++place) {
                values[place][c] = i << (18 - 6 * place);
            }
        }
    }
};

constexpr Codec standard_codec("+/");
constexpr Codec url_codec("-_");

constexpr bool is_padded(Form form) noexcept {
    return form == Form::standard || form == Form::url_padded;
}

constexpr Codec const& codec_of(Form form) noexcept {
    return form == Form::standard || form == Form::standard_unpadded ? standard_codec : url_codec;
}

std::uint32_t byte_at(char const* at) noexcept {
    return static_cast<unsigned char>(*at);
}

std::uint64_t load_big_endian(char const* at) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

void put_pair(char* out, Codec const& codec, std::uint64_t bits) noexcept {
    std::memcpy(out, codec.pairs[bits & 0xFFF].data(), 2);
}

void encode_to(char* out, std::string_view bytes, Form form) noexcept {
    auto const& codec = codec_of(form);
    char const* in = bytes.data();
    char const* const end = in + bytes.size();
    // Encodes six bytes per iteration but loads eight, so two more bytes must be readable.
    while (end - in >= 8) {
        auto const bits = load_big_endian(in);
        put_pair(out, codec, bits >> 52);
        put_pair(out + 2, codec, bits >> 40);
        put_pair(out + 4, codec, bits >> 28);
        put_pair(out + 6, codec, bits >> 16);
        in += 6;
        out += 8;
    }
    while (end - in >= 3) {
        auto const bits = byte_at(in) << 16 | byte_at(in + 1) << 8 | byte_at(in + 2);
        put_pair(out, codec, bits >> 12);
        put_pair(out + 2, codec, bits);
        in += 3;
        out += 4;
    }
    if (in == end) return;
    bool const two = end - in == 2;
    auto const bits = byte_at(in) << 16 | (two ? byte_at(in + 1) << 8 : 0);
    put_pair(out, codec, bits >> 12);
    if (two) out[2] = codec.pairs[bits & 0xFFF][0];
    if (is_padded(form)) {
        if (!two) out[2] = '=';
        out[3] = '=';
    }
}

std::uint32_t group_at(Codec const& codec, char const* at) noexcept {
    return codec.values[0][byte_at(at)] | codec.values[1][byte_at(at + 1)] |
           codec.values[2][byte_at(at + 2)] | codec.values[3][byte_at(at + 3)];
}

void put_bytes(char* out, std::uint32_t group) noexcept {
    out[0] = static_cast<char>(group >> 16);
    out[1] = static_cast<char>(group >> 8);
    out[2] = static_cast<char>(group);
}

Unexpected<DecodeError> refuse(std::string what, std::size_t position) {
    return Unexpected(DecodeError{
        {}, std::move(what) + " at byte " + std::to_string(position) + " of base64 text"});
}

Unexpected<DecodeError> refuse_character(Codec const& codec, std::string_view text) {
    std::size_t position = 0;
    while (codec.values[0][byte_at(&text[position])] != invalid) ++position;
    if (text[position] == '=') return refuse("unexpected padding", position);
    return refuse("character outside the alphabet", position);
}

}  // namespace

void append_encoded(std::string& out, std::string_view bytes, Form form) {
    auto const before = out.size();
    out.resize(before + encoded_size(bytes.size(), form));
    encode_to(out.data() + before, bytes, form);
}

std::string encode(std::string_view bytes, Form form) {
    std::string out;
    append_encoded(out, bytes, form);
    return out;
}

Result<std::string, DecodeError> decode(std::string_view text, Form form) {
    auto const& codec = codec_of(form);
    auto digits = text;
    if (is_padded(form)) {
        if (text.size() % 4 != 0) return refuse("incomplete group of four characters", text.size());
        if (digits.ends_with('=')) digits.remove_suffix(1);
        if (digits.ends_with('=')) digits.remove_suffix(1);
    }
    auto const whole = digits.size() / 4;
    auto const rest = digits.size() % 4;

    std::string bytes(whole * 3 + (rest == 0 ? 0 : rest - 1), '\0');
    char* out = bytes.data();
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < whole; ++i) {
        auto const group = group_at(codec, digits.data() + i * 4);
        seen |= group;
        put_bytes(out, group);
        out += 3;
    }
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < rest; ++i) {
        last |= codec.values[i][byte_at(&digits[whole * 4 + i])];
    }
    if (((seen | last) & invalid) != 0) return refuse_character(codec, digits);
    if (rest == 1) return refuse("a single character left over", digits.size() - 1);
    if ((last & (rest == 2 ? 0xFFFFU : 0xFFU)) != 0) {
        return refuse("set bits after the last byte", digits.size() - 1);
    }
    if (rest >= 2) out[0] = static_cast<char>(last >> 16);
    if (rest == 3) out[1] = static_cast<char>(last >> 8);
    return bytes;
}

}  // namespace lanyard::base64

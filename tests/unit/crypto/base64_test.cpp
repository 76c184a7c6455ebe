// Base64: the vectors of RFC 4648 section 10, and every kind of invalid text.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "lanyard/base64.hpp"

namespace lanyard::base64 {
namespace {

constexpr std::array all_forms{Form::standard, Form::standard_unpadded, Form::url,
                               Form::url_padded};

// Every byte value, in an order that reaches all characters of the alphabet.
std::string sample_bytes(std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 167 + (i >> 8));
    return bytes;
}

// The definition of base64, bit by bit: the oracle for the table-driven encoder.
std::string encode_bit_by_bit(std::string_view bytes, std::string_view alphabet) {
    std::string text;
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 6) {
        unsigned value = 0;
        for (std::size_t i = bit; i < bit + 6; ++i) {
            auto const byte = i / 8 < bytes.size() ? static_cast<unsigned char>(bytes[i / 8]) : 0U;
            value = value << 1 | (byte >> (7 - i % 8) & 1U);
        }
        text += alphabet[value];
    }
    return text;
}

std::string message_of(std::string_view text, Form form = Form::standard) {
    auto const bytes = decode(text, form);
    return bytes ? "accepted" : bytes.error().to_string();
}

TEST(Base64, encodes_and_decodes_the_vectors_of_the_rfc) {
    std::array<std::pair<std::string_view, std::string_view>, 7> const vectors{{
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    }};
    for (auto const& [bytes, text] : vectors) {
        EXPECT_EQ(encode(bytes), text);
        EXPECT_EQ(decode(text).value(), bytes);
    }
}

TEST(Base64, forms_differ_in_alphabet_and_padding) {
    std::string_view const bytes = "\xfb\xff\xfe\xff";
    EXPECT_EQ(encode(bytes, Form::standard), "+//+/w==");
    EXPECT_EQ(encode(bytes, Form::standard_unpadded), "+//+/w");
    EXPECT_EQ(encode(bytes, Form::url), "-__-_w");
    EXPECT_EQ(encode(bytes, Form::url_padded), "-__-_w==");
}

TEST(Base64, agrees_with_the_definition_for_every_length) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (std::size_t size = 0; size <= 600; ++size) {
        auto const bytes = sample_bytes(size);
        EXPECT_EQ(encode(bytes, Form::url), encode_bit_by_bit(bytes, alphabet)) << size;
    }
}

TEST(Base64, every_form_round_trips_and_has_the_announced_size) {
    for (auto const form : all_forms) {
        for (std::size_t size = 0; size <= 64; ++size) {
            auto const bytes = sample_bytes(size);
            auto const text = encode(bytes, form);
            EXPECT_EQ(text.size(), encoded_size(size, form));
            EXPECT_EQ(decode(text, form).value(), bytes);
        }
    }
}

TEST(Base64, appending_keeps_the_existing_bytes) {
    std::string out = "data:";
    append_encoded(out, "foo");
    EXPECT_EQ(out, "data:Zm9v");
}

TEST(Base64, accepts_only_the_one_text_of_some_bytes) {
    for (auto const form : all_forms) {
        auto const text = encode(sample_bytes(9), form);
        for (std::size_t place = 0; place < text.size(); ++place) {
            for (int c = 0; c < 256; ++c) {
                auto changed = text;
                changed[place] = static_cast<char>(c);
                auto const bytes = decode(changed, form);
                EXPECT_TRUE(!bytes || encode(*bytes, form) == changed) << changed;
            }
        }
    }
}

TEST(Base64, errors_name_the_character_and_its_place) {
    EXPECT_EQ(message_of("Zm9v\nZm9v"),
              "incomplete group of four characters at byte 9 of base64 text");
    EXPECT_EQ(message_of("Zm9vZm\n="), "character outside the alphabet at byte 6 of base64 text");
    EXPECT_EQ(message_of("Zm-v"), "character outside the alphabet at byte 2 of base64 text");
    EXPECT_EQ(message_of("Zm+v", Form::url),
              "character outside the alphabet at byte 2 of base64 text");
    EXPECT_EQ(message_of("Zm9v Zm9", Form::url),
              "character outside the alphabet at byte 4 of base64 text");
    EXPECT_EQ(message_of(std::string_view("Zm9\0", 4)),
              "character outside the alphabet at byte 3 of base64 text");
}

TEST(Base64, refuses_wrong_padding) {
    EXPECT_EQ(message_of("Zg"), "incomplete group of four characters at byte 2 of base64 text");
    EXPECT_EQ(message_of("Zg="), "incomplete group of four characters at byte 3 of base64 text");
    EXPECT_EQ(message_of("Z==="), "unexpected padding at byte 1 of base64 text");
    EXPECT_EQ(message_of("===="), "unexpected padding at byte 0 of base64 text");
    EXPECT_EQ(message_of("Zg==Zg=="), "unexpected padding at byte 2 of base64 text");
    EXPECT_EQ(message_of("Zg==", Form::url), "unexpected padding at byte 2 of base64 text");
    EXPECT_EQ(message_of("Zm9vY", Form::url),
              "a single character left over at byte 4 of base64 text");
}

TEST(Base64, refuses_set_bits_after_the_last_byte) {
    EXPECT_EQ(message_of("Zh=="), "set bits after the last byte at byte 1 of base64 text");
    EXPECT_EQ(message_of("Zm9="), "set bits after the last byte at byte 2 of base64 text");
    EXPECT_EQ(message_of("Zv", Form::url), "set bits after the last byte at byte 1 of base64 text");
}

TEST(Base64, large_data_round_trips) {
    auto const bytes = sample_bytes(1'000'003);
    EXPECT_EQ(decode(encode(bytes)).value(), bytes);
}

}  // namespace
}  // namespace lanyard::base64

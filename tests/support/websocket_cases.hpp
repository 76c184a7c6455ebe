// How a server must react to the frames of a client, case by case, for a server that echoes every
// text message and accepts no binary ones. The cases are numbered as in the Autobahn test suite,
// whose categories 1 to 7, 9 and 10 they follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/hex.hpp"
#include "support/websocket_frames.hpp"

namespace lanyard::test {

struct WebSocketCase {
    std::string id;
    /// The bytes that the client sends.
    std::string bytes;
    /// The frames that are expected before the end: text and pongs.
    struct Answer {
        unsigned opcode;
        std::string payload;

        bool operator==(Answer const&) const = default;
    };
    std::vector<Answer> answers{};
    /// The code with which the server closes; 0 if it does not, and the client closes with 1000.
    unsigned code = 0;
    /// How many bytes are written at a time; 0: all at once, but frame by frame if answers are
    /// expected before a close, because frames received together with a close need not be answered.
    std::size_t piece = 0;

    /// The bytes, split into single writes.
    std::vector<std::string> writes() const {
        std::vector<std::string> parts;
        std::string rest = bytes;
        bool const by_frame = piece == 0 && code != 0 && !answers.empty();
        while (!rest.empty()) {
            auto size = piece == 0 ? rest.size() : std::min(piece, rest.size());
            if (by_frame) {
                auto behind = rest;
                if (take_frame(behind)) size = rest.size() - behind.size();
            }
            parts.push_back(rest.substr(0, size));
            rest.erase(0, size);
        }
        return parts;
    }
};

namespace websocket_cases {

using Answers = std::vector<WebSocketCase::Answer>;

inline WebSocketCase::Answer text_answer(std::string text) {
    return {opcode::text, std::move(text)};
}
inline WebSocketCase::Answer pong_answer(std::string payload) {
    return {opcode::pong, std::move(payload)};
}
inline std::string ping(std::string payload = {}) {
    return frame({.opcode = opcode::ping, .payload = std::move(payload)});
}
inline std::string pong(std::string payload = {}) {
    return frame({.opcode = opcode::pong, .payload = std::move(payload)});
}
inline std::string first_fragment(std::string payload) {
    return frame({.payload = std::move(payload), .fin = false});
}
inline std::string next_fragment(std::string payload, bool last = false) {
    return frame({.opcode = opcode::continuation, .payload = std::move(payload), .fin = last});
}
/// A message of fragments of this size.
inline std::string in_fragments(std::string const& text, std::size_t size,
                                unsigned kind = opcode::text) {
    std::string out;
    std::size_t at = 0;
    do {
        auto const part = text.substr(at, size);
        out += frame({.opcode = at == 0 ? kind : opcode::continuation,
                      .payload = part,
                      .fin = at + part.size() == text.size()});
        at += part.size();
    } while (at < text.size());
    return out;
}
inline std::string binary(std::string payload) {
    return frame({.opcode = opcode::binary, .payload = std::move(payload)});
}

inline void add_framing(std::vector<WebSocketCase>& cases) {
    int number = 0;
    for (std::size_t const size : {0UL, 125UL, 126UL, 127UL, 128UL, 65535UL, 65536UL, 65536UL}) {
        ++number;
        std::size_t const piece = number == 8 ? 997 : 0;
        std::string const text(size, '*');
        cases.push_back(
            {"1.1." + std::to_string(number), text_frame(text), {text_answer(text)}, 0, piece});
        cases.push_back({"1.2." + std::to_string(number), binary(text), {}, 1003, piece});
    }
}

inline void add_pings(std::vector<WebSocketCase>& cases) {
    std::string const hello = "Hello, world!";
    std::string const odd = from_hex("00FFFEFDFCFB00FF");
    std::string const longest(125, '\xFE');
    cases.push_back({"2.1", ping(), {pong_answer("")}});
    cases.push_back({"2.2", ping(hello), {pong_answer(hello)}});
    cases.push_back({"2.3", ping(odd), {pong_answer(odd)}});
    cases.push_back({"2.4", ping(longest), {pong_answer(longest)}});
    cases.push_back({"2.5", ping(std::string(126, '\xFE')), {}, 1002});
    cases.push_back({"2.6", ping(longest), {pong_answer(longest)}, 0, 1});
    cases.push_back({"2.7", pong()});
    cases.push_back({"2.8", pong("unsolicited")});
    cases.push_back({"2.9", pong("unsolicited") + ping("ping"), {pong_answer("ping")}});
    std::string many;
    Answers answers;
    for (int i = 0; i < 10; ++i) {
        many += ping("payload-" + std::to_string(i));
        answers.push_back(pong_answer("payload-" + std::to_string(i)));
    }
    cases.push_back({"2.10", many, answers});
    cases.push_back({"2.11", many, answers, 0, 1});
}

inline void add_reserved_bits(std::vector<WebSocketCase>& cases) {
    std::string const hello = "Hello, world!";
    auto const good = text_frame(hello);
    auto const with_bits = [&](unsigned bits, unsigned kind = opcode::text) {
        return frame({.opcode = kind, .payload = hello, .reserved = bits});
    };
    Answers const first{text_answer(hello)};
    cases.push_back({"3.1", with_bits(1), {}, 1002});
    cases.push_back({"3.2", good + with_bits(2) + ping(), first, 1002});
    cases.push_back({"3.3", good + with_bits(3) + ping(), first, 1002, 19});
    cases.push_back({"3.4", good + with_bits(4) + ping(), first, 1002, 1});
    cases.push_back({"3.5", with_bits(5, opcode::binary), {}, 1002});
    cases.push_back({"3.6", with_bits(6, opcode::ping), {}, 1002});
    cases.push_back({"3.7", with_bits(7, opcode::close), {}, 1002});
}

inline void add_opcodes(std::vector<WebSocketCase>& cases) {
    std::string const hello = "Hello, world!";
    auto const good = text_frame(hello);
    for (unsigned const base : {3U, 11U}) {
        std::string const group = base == 3 ? "4.1." : "4.2.";
        auto const odd = [&](unsigned step, std::string payload) {
            return frame({.opcode = base + step, .payload = std::move(payload)});
        };
        cases.push_back({group + "1", odd(0, ""), {}, 1002});
        cases.push_back({group + "2", odd(1, "reserved"), {}, 1002});
        cases.push_back({group + "3", good + odd(2, "") + ping(), {text_answer(hello)}, 1002});
        cases.push_back(
            {group + "4", good + odd(3, hello) + ping(), {text_answer(hello)}, 1002, 19});
        cases.push_back(
            {group + "5", good + odd(4, hello) + ping(), {text_answer(hello)}, 1002, 1});
    }
}

inline void add_fragmentation(std::vector<WebSocketCase>& cases) {
    auto const halves = first_fragment("fragment1") + next_fragment("fragment2", true);
    auto const with_ping =
        first_fragment("fragment1") + ping("ping") + next_fragment("fragment2", true);
    Answers const whole{text_answer("fragment1fragment2")};
    Answers const pong_and_whole{pong_answer("ping"), text_answer("fragment1fragment2")};
    auto const hello = text_frame("Hello, world!");
    auto const orphan = [](bool fin) { return next_fragment("non-continuation payload", fin); };
    cases.push_back({"5.1",
                     frame({.opcode = opcode::ping, .payload = "fragment1", .fin = false}) +
                         next_fragment("fragment2", true),
                     {},
                     1002});
    cases.push_back({"5.2",
                     frame({.opcode = opcode::pong, .payload = "fragment1", .fin = false}) +
                         next_fragment("fragment2", true),
                     {},
                     1002});
    cases.push_back({"5.3", halves, whole, 0, 15});
    cases.push_back({"5.4", halves, whole});
    cases.push_back({"5.5", halves, whole, 0, 1});
    cases.push_back({"5.6", with_ping, pong_and_whole, 0, 15});
    cases.push_back({"5.7", with_ping, pong_and_whole});
    cases.push_back({"5.8", with_ping, pong_and_whole, 0, 1});
    int number = 9;
    for (bool const fin : {true, false}) {
        for (std::size_t const piece : {0UL, 30UL, 1UL}) {
            cases.push_back(
                {"5." + std::to_string(number++), orphan(fin) + hello, {}, 1002, piece});
        }
    }
    cases.push_back({"5.15", halves + orphan(false) + hello, whole, 1002});
    auto const twice = [](std::string const& text) { return text + text; };
    auto const begun = first_fragment("fragment1");
    cases.push_back({"5.16", twice(orphan(false) + begun + next_fragment("x", true)), {}, 1002});
    cases.push_back({"5.17", twice(orphan(true) + begun + next_fragment("x", true)), {}, 1002});
    cases.push_back({"5.18", begun + text_frame("fragment2"), {}, 1002});
    auto const five = first_fragment("fragment1") + next_fragment("fragment2") + ping("ping-1") +
                      next_fragment("fragment3") + next_fragment("fragment4") + ping("ping-2") +
                      next_fragment("fragment5", true);
    Answers const all{pong_answer("ping-1"), pong_answer("ping-2"),
                      text_answer("fragment1fragment2fragment3fragment4fragment5")};
    cases.push_back({"5.19", five, all, 0, 15});
    cases.push_back({"5.20", five, all});
}

/// Texts, and whether they are valid UTF-8.
inline std::vector<std::pair<std::string, bool>> utf8_sequences(std::string const& group) {
    using List = std::vector<std::pair<std::string, bool>>;
    auto const all = [](std::initializer_list<char const*> hex, bool valid) {
        List list;
        for (auto const* const text : hex) list.emplace_back(from_hex(text), valid);
        return list;
    };
    if (group == "6.6") {
        // Every prefix of a Greek word; only those that end between two letters are valid.
        auto const word = from_hex("CEBAE1BDB9CF83CEBCCEB5");
        List list;
        for (std::size_t size = 1; size <= word.size(); ++size) {
            list.emplace_back(word.substr(0, size),
                              size == 2 || size == 5 || size == 7 || size == 9 || size == 11);
        }
        return list;
    }
    if (group == "6.5")
        return all({"CEBAE1BDB9CF83CEBCCEB5", "C3A4C3B6C3BC", "E282AC", "F09F9880", "2D3E20E2889A"},
                   true);
    if (group == "6.7") return all({"00", "C280", "E0A080", "F0908080"}, true);
    if (group == "6.8") return all({"F888808080", "FC8480808080"}, false);
    if (group == "6.9") return all({"7F", "DFBF", "EFBFBF", "F48FBFBF"}, true);
    if (group == "6.10") return all({"F7BFBFBF", "FBBFBFBFBF", "FDBFBFBFBFBF"}, false);
    if (group == "6.11") {
        auto list = all({"ED9FBF", "EE8080", "EFBFBD", "F48FBFBF"}, true);
        list.emplace_back(from_hex("F4908080"), false);
        return list;
    }
    if (group == "6.12") {
        auto list =
            all({"80", "BF", "80BF", "80BF80", "80BF80BF", "80BF80BF80", "80BF80BF80BF"}, false);
        std::string every;
        for (int byte = 0x80; byte < 0xBF; ++byte) every.push_back(static_cast<char>(byte));
        list.emplace_back(every, false);
        return list;
    }
    if (group == "6.13") {
        // First bytes of sequences, each followed by a blank instead of the rest.
        List list;
        for (auto const& [first, last] :
             {std::pair{0xC0, 0xDF}, {0xE0, 0xEF}, {0xF0, 0xF7}, {0xF8, 0xFB}, {0xFC, 0xFD}}) {
            std::string text;
            for (int byte = first; byte <= last; ++byte) {
                text.push_back(static_cast<char>(byte));
                text.push_back(' ');
            }
            list.emplace_back(text, false);
        }
        return list;
    }
    if (group == "6.14") {
        return all({"C0", "E080", "F08080", "F8808080", "FC80808080", "DF", "EFBF", "F7BFBF",
                    "FBBFBFBF", "FDBFBFBFBF"},
                   false);
    }
    if (group == "6.15") {
        return all({"C0E080F08080F8808080FC80808080DFEFBFF7BFBFFBBFBFBFFDBFBFBFBF"}, false);
    }
    if (group == "6.16") return all({"FE", "FF", "FEFEFFFF"}, false);
    if (group == "6.17")
        return all({"C0AF", "E080AF", "F08080AF", "F8808080AF", "FC80808080AF"}, false);
    if (group == "6.18")
        return all({"C1BF", "E09FBF", "F08FBFBF", "F887BFBFBF", "FC83BFBFBFBF"}, false);
    if (group == "6.19")
        return all({"C080", "E08080", "F0808080", "F880808080", "FC8080808080"}, false);
    if (group == "6.20") {
        return all({"EDA080", "EDADBF", "EDAE80", "EDAFBF", "EDB080", "EDBE80", "EDBFBF"}, false);
    }
    if (group == "6.21") {
        return all({"EDA080EDB080", "EDA080EDBFBF", "EDADBFEDB080", "EDADBFEDBFBF", "EDAE80EDB080",
                    "EDAE80EDBFBF", "EDAFBFEDB080", "EDAFBFEDBFBF"},
                   false);
    }
    if (group == "6.22") {
        // The last two characters of every plane.
        auto list = all({"EFBFBE", "EFBFBF"}, true);
        for (unsigned plane = 1; plane <= 16; ++plane) {
            for (unsigned const low : {0xFFFEU, 0xFFFFU}) {
                unsigned const point = plane << 16 | low;
                std::string text;
                text.push_back(static_cast<char>(0xF0U | point >> 18));
                text.push_back(static_cast<char>(0x80U | (point >> 12 & 0x3FU)));
                text.push_back(static_cast<char>(0x80U | (point >> 6 & 0x3FU)));
                text.push_back(static_cast<char>(0x80U | (point & 0x3FU)));
                list.emplace_back(text, true);
            }
        }
        return list;
    }
    return all({"EFBFB9", "EFBFBA", "EFBFBB", "EFBFBC", "EFBFBD", "EFBFBE", "EFBFBF"}, true);
}

inline void add_utf8(std::vector<WebSocketCase>& cases) {
    cases.push_back({"6.1.1", text_frame(""), {text_answer("")}});
    cases.push_back({"6.1.2",
                     first_fragment("") + next_fragment("") + next_fragment("", true),
                     {text_answer("")}});
    cases.push_back(
        {"6.1.3",
         first_fragment("") + next_fragment("middle frame payload") + next_fragment("", true),
         {text_answer("middle frame payload")}});
    auto const mixed = "Hello-" + from_hex("C2B540C39FC3B6C3A4C3BCC3A0C3A1") + "-UTF-8!!";
    auto const word = from_hex("CEBAE1BDB9CF83CEBCCEB5");
    cases.push_back({"6.2.1", text_frame(mixed), {text_answer(mixed)}});
    cases.push_back({"6.2.2", in_fragments(mixed, 12), {text_answer(mixed)}});
    cases.push_back({"6.2.3", in_fragments(mixed, 1), {text_answer(mixed)}});
    cases.push_back({"6.2.4", in_fragments(word, 1), {text_answer(word)}});
    auto const broken = word + from_hex("EDA080") + "edited";
    cases.push_back({"6.3.1", text_frame(broken), {}, 1007});
    cases.push_back({"6.3.2", in_fragments(broken, 1), {}, 1007});
    for (int group = 5; group <= 23; ++group) {
        auto const name = "6." + std::to_string(group);
        int number = 0;
        for (auto const& [text, valid] : utf8_sequences(name)) {
            auto const id = name + "." + std::to_string(++number);
            auto const answers = valid ? Answers{text_answer(text)} : Answers{};
            unsigned const code = valid ? 0 : 1007;
            cases.push_back({id, text_frame(text), answers, code});
            cases.push_back({id + " in fragments", in_fragments(text, 1), answers, code});
        }
    }
}

inline void add_closing(std::vector<WebSocketCase>& cases) {
    auto const hello = text_frame("Hello World!");
    Answers const said{text_answer("Hello World!")};
    auto const close = close_frame(1000);
    cases.push_back({"7.1.1", hello + close, said, 1000});
    cases.push_back({"7.1.2", close + close, {}, 1000});
    cases.push_back({"7.1.3", close + ping(), {}, 1000});
    cases.push_back({"7.1.4", close + hello, {}, 1000});
    cases.push_back({"7.1.5",
                     first_fragment("fragment1") + close + next_fragment("fragment2", true),
                     {},
                     1000});
    std::string const large(256 * 1024, 'B');
    cases.push_back({"7.1.6",
                     text_frame(large) + hello + close + ping(),
                     {text_answer(large), text_answer("Hello World!")},
                     1000});
    auto const payload = [](std::string bytes) {
        return frame({.opcode = opcode::close, .payload = std::move(bytes)});
    };
    cases.push_back({"7.3.1", payload(""), {}, 1000});
    cases.push_back({"7.3.2", payload("a"), {}, 1002});
    cases.push_back({"7.3.3", payload(close_payload(1000)), {}, 1000});
    cases.push_back({"7.3.4", close_frame(1000, "Hello World!"), {}, 1000});
    cases.push_back({"7.3.5", close_frame(1000, std::string(123, '*')), {}, 1000});
    cases.push_back({"7.3.6", close_frame(1000, std::string(124, '*')), {}, 1002});
    cases.push_back({"7.5.1", close_frame(1000, from_hex("CEBAEDA08065")), {}, 1007});
    int number = 0;
    for (unsigned const code : {1000U, 1001U, 1002U, 1003U, 1007U, 1008U, 1009U, 1010U, 1011U,
                                3000U, 3999U, 4000U, 4999U}) {
        cases.push_back({"7.7." + std::to_string(++number), close_frame(code), {}, code});
    }
    number = 0;
    for (unsigned const code : {0U, 999U, 1004U, 1005U, 1006U, 1016U, 1100U, 2000U, 2999U}) {
        cases.push_back({"7.9." + std::to_string(++number), close_frame(code), {}, 1002});
    }
    // Codes without a defined meaning are accepted.
    cases.push_back({"7.13.1", close_frame(5000), {}, 5000});
    cases.push_back({"7.13.2", close_frame(65535), {}, 65535});
}

inline void add_limits(std::vector<WebSocketCase>& cases) {
    constexpr std::size_t kib = 1024;
    int number = 0;
    for (std::size_t const size :
         {64 * kib, 256 * kib, 1024 * kib, 4096 * kib, 8192 * kib, 16384 * kib}) {
        std::string const text(size, 'B');
        ++number;
        cases.push_back({"9.1." + std::to_string(number), text_frame(text), {text_answer(text)}});
        cases.push_back({"9.2." + std::to_string(number), binary(text), {}, 1003});
    }
    std::string const four(4096 * kib, 'B');
    number = 0;
    for (std::size_t const size :
         {64UL, 256UL, kib, 4 * kib, 16 * kib, 64 * kib, 256 * kib, 1024 * kib, 4096 * kib}) {
        ++number;
        cases.push_back(
            {"9.3." + std::to_string(number), in_fragments(four, size), {text_answer(four)}});
        cases.push_back(
            {"9.4." + std::to_string(number), in_fragments(four, size, opcode::binary), {}, 1003});
    }
    std::string const one(1024 * kib, 'B');
    number = 0;
    for (std::size_t const piece : {64UL, 128UL, 256UL, 512UL, 1024UL, 2048UL}) {
        ++number;
        cases.push_back(
            {"9.5." + std::to_string(number), text_frame(one), {text_answer(one)}, 0, piece});
        cases.push_back({"9.6." + std::to_string(number), binary(one), {}, 1003, piece});
    }
    number = 0;
    for (std::size_t const size : {0UL, 16UL, 64UL, 256UL, 1024UL, 4096UL}) {
        ++number;
        std::string const text(size, 'B');
        std::string many;
        Answers answers;
        for (int i = 0; i < 1000; ++i) {
            many += text_frame(text);
            answers.push_back(text_answer(text));
        }
        cases.push_back({"9.7." + std::to_string(number), many, answers});
        cases.push_back({"9.8." + std::to_string(number), binary(text), {}, 1003});
    }
    cases.push_back({"10.1.1",
                     in_fragments(std::string(65536, '*'), 1300),
                     {text_answer(std::string(65536, '*'))}});
}

}  // namespace websocket_cases

inline std::vector<WebSocketCase> websocket_test_cases() {
    std::vector<WebSocketCase> cases;
    websocket_cases::add_framing(cases);
    websocket_cases::add_pings(cases);
    websocket_cases::add_reserved_bits(cases);
    websocket_cases::add_opcodes(cases);
    websocket_cases::add_fragmentation(cases);
    websocket_cases::add_utf8(cases);
    websocket_cases::add_closing(cases);
    websocket_cases::add_limits(cases);
    return cases;
}

}  // namespace lanyard::test

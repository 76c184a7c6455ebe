#include "schema/unicode.hpp"

#include <string>

#include <re2/re2.h>

#include "schema/utf8.hpp"

namespace lanyard::schema {

namespace {

// A set of code points given as the inside of an RE2 character class.
class CodePointTest {
public:
    explicit CodePointTest(std::string const& body) : regex_("[" + body + "]", re2::RE2::Quiet) {}

    bool operator()(char32_t code_point) const noexcept {
        std::string text;
        append_utf8(text, code_point);
        return re2::RE2::FullMatch(text, regex_);
    }

private:
    re2::RE2 regex_;
};

// Letter-like, but reserved as a pattern character: in \p{L} and not in ID_Start.
constexpr char32_t vertical_tilde = 0x2E2F;

}  // namespace

bool is_id_start(char32_t code_point) noexcept {
    static CodePointTest const test(
        R"(\p{L}\p{Nl}\x{1885}\x{1886}\x{2118}\x{212E}\x{309B}\x{309C})");
    return code_point != vertical_tilde && test(code_point);
}

bool is_id_continue(char32_t code_point) noexcept {
    static CodePointTest const test(
        R"(\p{Mn}\p{Mc}\p{Nd}\p{Pc}\x{B7}\x{387}\x{1369}-\x{1371}\x{19DA})");
    return is_id_start(code_point) || test(code_point);
}

bool is_folded_letter_or_digit(char32_t code_point) noexcept {
    static CodePointTest const test(R"(\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\x{13A0}-\x{13F5})");
    return test(code_point);
}

bool is_mark(char32_t code_point) noexcept {
    static CodePointTest const test(R"(\p{M})");
    return test(code_point);
}

bool is_nonspacing_mark(char32_t code_point) noexcept {
    static CodePointTest const test(R"(\p{Mn})");
    return test(code_point);
}

bool is_greek(char32_t code_point) noexcept {
    static CodePointTest const test(R"(\p{Greek})");
    return test(code_point);
}

bool is_hebrew(char32_t code_point) noexcept {
    static CodePointTest const test(R"(\p{Hebrew})");
    return test(code_point);
}

bool is_japanese(char32_t code_point) noexcept {
    static CodePointTest const test(R"(\p{Hiragana}\p{Katakana}\p{Han})");
    return test(code_point);
}

}  // namespace lanyard::schema

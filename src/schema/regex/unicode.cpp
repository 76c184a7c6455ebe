#include "schema/regex/unicode.hpp"

#include <string>

#include <re2/re2.h>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace lanyard::schema {

namespace {

// A set of code points given as the body of an RE2 character class.
class CodePointTest {
public:
    explicit CodePointTest(std::string const& body) : regex_("[" + body + "]", re2::RE2::Quiet) {}

    bool operator()(char32_t code_point) const noexcept {
        char bytes[4];
        re2::StringPiece const text(bytes, encode_utf8(code_point, bytes));
        return regex_.Match(text, 0, text.size(), re2::RE2::ANCHOR_BOTH, nullptr, 0);
    }

private:
    re2::RE2 regex_;
};

struct Tests {
    CodePointTest id_start{R"(\p{L}\p{Nl}\x{1885}\x{1886}\x{2118}\x{212E}\x{309B}\x{309C})"};
    CodePointTest id_extend{R"(\p{Mn}\p{Mc}\p{Nd}\p{Pc}\x{B7}\x{387}\x{1369}-\x{1371}\x{19DA})"};
    CodePointTest folded{R"(\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\x{13A0}-\x{13F5})"};
    CodePointTest mark{R"(\p{M})"};
    CodePointTest nonspacing_mark{R"(\p{Mn})"};
    CodePointTest greek{R"(\p{Greek})"};
    CodePointTest hebrew{R"(\p{Hebrew})"};
    CodePointTest japanese{R"(\p{Hiragana}\p{Katakana}\p{Han})"};
};

// Returns the tests. They are compiled by the first call, that is, when the first code point beyond
// ASCII is tested.
Tests const& tests() noexcept {
    static Tests const instance;
    return instance;
}

}  // namespace

bool is_id_start(char32_t code_point) noexcept {
    // This letter is in \p{L} but not in ID_Start, because it is reserved as a pattern character.
    constexpr char32_t vertical_tilde = 0x2E2F;
    if (code_point < 0x80) return ascii::is_letter(code_point);
    return code_point != vertical_tilde && tests().id_start(code_point);
}

bool is_id_continue(char32_t code_point) noexcept {
    if (code_point < 0x80) return ascii::is_alphanumeric(code_point) || code_point == '_';
    return is_id_start(code_point) || tests().id_extend(code_point);
}

bool is_folded_letter_or_digit(char32_t code_point) noexcept {
    return tests().folded(code_point);
}

bool is_mark(char32_t code_point) noexcept {
    return tests().mark(code_point);
}

bool is_nonspacing_mark(char32_t code_point) noexcept {
    return tests().nonspacing_mark(code_point);
}

bool is_greek(char32_t code_point) noexcept {
    return tests().greek(code_point);
}

bool is_hebrew(char32_t code_point) noexcept {
    return tests().hebrew(code_point);
}

bool is_japanese(char32_t code_point) noexcept {
    return tests().japanese(code_point);
}

}  // namespace lanyard::schema

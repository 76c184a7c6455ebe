#include "schema/regex/ecma_regex.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "schema/regex/ecma_property.hpp"
#include "schema/regex/unicode.hpp"

namespace lanyard::schema {

namespace {

// RE2 refuses larger repetition counts, because its compiled program contains one copy of the
// repeated part per repetition.
constexpr std::uint64_t max_repetitions = 1000;
constexpr std::uint64_t unlimited = UINT64_MAX;

// The maximum size of a translated pattern. A property such as \p{Alphabetic} takes a few bytes in
// ECMA-262 but some kilobytes in RE2. RE2 could not compile a longer translation within its memory
// limit.
constexpr std::size_t max_translation = 256 * 1024;

constexpr std::string_view syntax_characters = "^$\\.*+?()[]{}|/";
constexpr std::string_view white_space =
    "9-D 20 A0 1680 2000-200A 2028-2029 202F 205F 3000 FEFF";  // WhiteSpace and LineTerminator
constexpr std::string_view all_code_points = R"(\x{0}-\x{10FFFF})";
constexpr std::string_view not_line_terminator = R"([^\n\r\x{2028}\x{2029}])";

std::string hex_escape(char32_t code_point) {
    char digits[8];
    auto const value = static_cast<std::uint32_t>(code_point);
    auto const end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
    return "\\x{" + std::string(digits, end) + "}";
}

std::string literal(char32_t code_point) {
    bool const surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (!ascii::is_alphanumeric(code_point) && (code_point < 0x80 || surrogate)) {
        return hex_escape(code_point);
    }
    std::string text;
    append_utf8(text, code_point);
    return text;
}

bool is_property_character(char c) {
    return ascii::is_alphanumeric(static_cast<unsigned char>(c)) || c == '_' || c == '=';
}

// Reads the pattern in one pass with an explicit stack of groups, so that nesting affects neither
// the time nor the call stack. If RE2 lacks a construct, records it and continues the syntax check,
// because such a pattern still conforms to the format "regex".
class Reader {
public:
    explicit Reader(std::string_view pattern) : text_(pattern) { regex_.re2.reserve(text_.size()); }

    Result<EcmaRegex, PatternProblem> read() {
        while (pos_ < text_.size()) {
            if (!read_term()) return Unexpected(std::move(problem_));
        }
        if (!groups_.empty()) fail(groups_.back().offset, "this group is not closed");
        if (!groups_.empty() || !check_references()) return Unexpected(std::move(problem_));
        // RE2 would match \B even between the bytes of one character. This prefix consumes whole
        // characters, so that a match can begin only between characters.
        if (has_not_boundary_) regex_.re2 = R"(\A(?s:.*?)(?:)" + regex_.re2 + ")";
        return std::move(regex_);
    }

private:
    struct Group {
        std::size_t offset;
        bool assertion;  // whether the group is a lookaround, which may not be repeated
    };
    struct Name {
        std::string text;
        std::size_t offset;
    };
    // One element of a character class: a single character, or a set such as \d.
    struct ClassAtom {
        char32_t code_point = no_code_point;
        CodePointSet set;
        bool is_set() const { return code_point == no_code_point; }
    };

    bool at_end() const { return pos_ == text_.size(); }
    bool next_is(char c) const { return !at_end() && text_[pos_] == c; }
    bool accept(char c) {
        if (!next_is(c)) return false;
        ++pos_;
        return true;
    }
    bool accept(std::string_view token) {
        if (!text_.substr(pos_).starts_with(token)) return false;
        pos_ += token.size();
        return true;
    }

    bool fail(std::size_t offset, std::string message) {
        problem_ = {offset, std::move(message)};
        return false;
    }
    void unsupported(std::size_t offset, std::string message) {
        if (!regex_.unsupported) {
            regex_.unsupported = PatternProblem{offset, std::move(message) + " is not supported"};
        }
    }
    // Returns the text read since `start`, truncated to a length suitable for a message.
    std::string excerpt(std::size_t start) const {
        constexpr std::size_t longest = 40;
        auto const text = text_.substr(start, pos_ - start);
        if (text.size() <= longest) return std::string(text);
        std::size_t end = longest;
        while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
        return std::string(text.substr(0, end)) + "...";
    }

    void append(std::string& out, std::string_view text) {
        if (regex_.unsupported) return;
        if (out.size() + text.size() > max_translation) {
            unsupported(pos_, "a pattern of this size");
        } else {
            out += text;
        }
    }
    void emit(std::string_view text) { append(regex_.re2, text); }

    bool take(char32_t& code_point) {
        std::size_t const start = pos_;
        auto rest = text_.substr(pos_);
        code_point = take_code_point(rest);
        pos_ = text_.size() - rest.size();
        return code_point != no_code_point || fail(start, "not valid UTF-8");
    }

    bool read_term() {
        std::size_t const start = pos_;
        switch (text_[pos_]) {
            case '^':
                ++pos_;
                regex_.from_start = start == 0;
                regex_.plain = regex_.plain && start == 0;
                emit("\\A");
                return true;
            case '$':
                ++pos_;
                regex_.to_end = at_end();
                regex_.plain = regex_.plain && at_end();
                emit("\\z");
                return true;
            case '|':
                ++pos_;
                regex_.plain = false;
                emit("|");
                return true;
            case '(':
                ++pos_;
                regex_.plain = false;
                return open_group(start);
            case ')':
                ++pos_;
                return close_group(start);
            case '.':
                ++pos_;
                regex_.plain = false;
                emit(not_line_terminator);
                return read_quantifier();
            case '[':
                ++pos_;
                regex_.plain = false;
                return read_class(start) && read_quantifier();
            case '\\':
                ++pos_;
                return read_escape(start);
            case '*':
            case '+':
            case '?':
                return fail(start, "nothing to repeat");
            case '{':
            case '}':
            case ']':
                return fail(start, std::string("a literal ") + text_[start] + " must be escaped");
            default: {
                char32_t code_point;
                return take(code_point) && emit_character(code_point);
            }
        }
    }

    bool emit_character(char32_t code_point) {
        emit(literal(code_point));
        if (regex_.plain) append_utf8(regex_.literal, code_point);
        return read_quantifier();
    }

    bool open_group(std::size_t start) {
        bool const ahead = accept("?=") || accept("?!");
        bool const behind = !ahead && (accept("?<=") || accept("?<!"));
        if (ahead || behind) {
            unsupported(start, (ahead ? "lookahead " : "lookbehind ") + excerpt(start));
        } else if (accept("?<")) {
            ++captures_;
            if (!read_group_name(names_)) return false;
        } else if (!accept("?:")) {
            if (next_is('?')) return fail(start, "unknown kind of group");
            ++captures_;
        }
        emit("(?:");
        groups_.push_back({start, ahead || behind});
        return true;
    }

    bool close_group(std::size_t start) {
        if (groups_.empty()) return fail(start, "unmatched )");
        bool const assertion = groups_.back().assertion;
        groups_.pop_back();
        emit(")");
        return assertion || read_quantifier();
    }

    // Reads the rest of (?<name> or \k<name>, after the "<".
    bool read_group_name(std::vector<Name>& names) {
        std::size_t const start = pos_;
        std::string name;
        while (!accept('>')) {
            if (at_end()) return fail(start, "this group name is not closed");
            std::size_t const offset = pos_;
            char32_t c;
            if (accept("\\u") ? !read_unicode_escape(offset, c) : !take(c)) return false;
            bool const joiner = c == 0x200C || c == 0x200D;
            bool const valid = c == '$' || c == '_' ||
                               (name.empty() ? is_id_start(c) : is_id_continue(c) || joiner);
            if (!valid) return fail(offset, "not a character of a group name");
            append_utf8(name, c);
        }
        if (name.empty()) return fail(start, "empty group name");
        names.push_back({std::move(name), start});
        return true;
    }

    // Reads a number in {n,m}; a number beyond 64 bits is treated as unlimited.
    bool read_count(std::uint64_t& count) {
        std::size_t const start = pos_;
        count = 0;
        for (; !at_end() && ascii::is_digit(static_cast<unsigned char>(text_[pos_])); ++pos_) {
            auto const digit = static_cast<std::uint64_t>(text_[pos_] - '0');
            count = count > (unlimited - digit) / 10 ? unlimited : count * 10 + digit;
        }
        return pos_ > start;
    }

    bool read_quantifier() {
        std::size_t const start = pos_;
        if (at_end() || std::string_view("*+?{").find(text_[pos_]) == std::string_view::npos) {
            return true;
        }
        regex_.plain = false;
        if (accept('{')) {
            std::uint64_t low = 0;
            std::uint64_t high = 0;
            bool valid = read_count(low);
            if (accept(',')) {
                high = next_is('}') ? unlimited : 0;
                valid = valid && (next_is('}') || read_count(high));
            } else {
                high = low;
            }
            if (!valid || !accept('}')) return fail(start, "a literal { must be escaped");
            if (low > high) return fail(start, "the counts of this repetition are out of order");
            if (low > max_repetitions || (high > max_repetitions && high != unlimited)) {
                unsupported(start, "a repetition of more than " + std::to_string(max_repetitions));
            }
            // The counts are written in canonical form, because RE2 treats counts with leading
            // zeros as literals.
            emit("{" + std::to_string(low) + ",");
            if (high != unlimited) emit(std::to_string(high));
            emit("}");
        } else {
            emit(text_.substr(pos_++, 1));
        }
        accept('?');  // ignored: laziness does not change whether there is a match
        return true;
    }

    // Reads an escape outside of a class, after the backslash.
    bool read_escape(std::size_t start) {
        if (at_end()) return fail(start, "\\ at the end of the pattern");
        char const c = text_[pos_];
        if (c == 'b' || c == 'B') {
            ++pos_;
            regex_.plain = false;
            has_not_boundary_ = has_not_boundary_ || c == 'B';
            emit(c == 'b' ? "\\b" : "\\B");
            return true;
        }
        if (c >= '1' && c <= '9') {
            std::uint64_t number = 0;
            read_count(number);
            if (number > backreference_.number) backreference_ = {number, start};
            unsupported(start, "backreference " + excerpt(start));
            return read_quantifier();
        }
        if (accept('k')) {
            if (!accept('<')) return fail(start, "\\k without a group name");
            if (!read_group_name(references_)) return false;
            unsupported(start, "backreference " + excerpt(start));
            return read_quantifier();
        }
        ClassAtom atom;
        if (!read_common_escape(start, atom)) return false;
        if (!atom.is_set()) return emit_character(atom.code_point);
        regex_.plain = false;
        bool const direct = !atom.set.body.empty();
        emit(direct ? "[" : "[^");
        emit(direct ? atom.set.body : atom.set.opposite);
        emit("]");
        return read_quantifier();
    }

    // Reads an escape that is allowed both inside and outside of classes.
    bool read_common_escape(std::size_t start, ClassAtom& atom) {
        if (at_end()) return fail(start, "\\ at the end of the pattern");
        char const c = text_[pos_];
        switch (c) {
            case 'd':
                atom.set = {"\\d", "\\D"};
                break;
            case 'D':
                atom.set = {"\\D", "\\d"};
                break;
            case 'w':
                atom.set = {"\\w", "\\W"};
                break;
            case 'W':
                atom.set = {"\\W", "\\w"};
                break;
            case 's':
                atom.set = CodePointSet::of_ranges(white_space);
                break;
            case 'S':
                atom.set = CodePointSet::of_ranges(white_space);
                atom.set.negate();
                break;
            case 'p':
            case 'P':
                ++pos_;
                return read_property(start, c == 'P', atom.set);
            default:
                return read_character_escape(start, atom.code_point);
        }
        ++pos_;
        return true;
    }

    bool read_property(std::size_t start, bool negated, CodePointSet& set) {
        bool const opened = accept('{');
        std::size_t const name = pos_;
        while (!at_end() && is_property_character(text_[pos_])) ++pos_;
        auto const expression = text_.substr(name, pos_ - name);
        if (!opened || !accept('}')) return fail(start, "\\p and \\P need a property in braces");
        auto const property = find_property(expression);
        if (property.status == Property::Status::unknown) {
            return fail(start, excerpt(start) + " names no Unicode property");
        }
        if (property.status == Property::Status::unsupported) {
            unsupported(start, "Unicode property " + excerpt(start));
        }
        // If the pattern is unsupported anyway, no translation is needed.
        if (!regex_.unsupported) set = property.set();
        if (negated) set.negate();
        return true;
    }

    bool read_character_escape(std::size_t start, char32_t& code_point) {
        char const c = text_[pos_++];
        switch (c) {
            case 'f':
                code_point = '\f';
                return true;
            case 'n':
                code_point = '\n';
                return true;
            case 'r':
                code_point = '\r';
                return true;
            case 't':
                code_point = '\t';
                return true;
            case 'v':
                code_point = '\v';
                return true;
            case '0':
                code_point = 0;
                if (at_end() || !ascii::is_digit(static_cast<unsigned char>(text_[pos_])))
                    return true;
                return fail(start, "\\0 followed by a digit");
            case 'c':
                if (at_end() || !ascii::is_letter(static_cast<unsigned char>(text_[pos_]))) {
                    return fail(start, "\\c needs a letter");
                }
                code_point = static_cast<unsigned char>(text_[pos_++]) % 32U;
                return true;
            case 'x':
                return read_hex(2, code_point) || fail(start, "\\x needs two hexadecimal digits");
            case 'u':
                return read_unicode_escape(start, code_point);
            default:
                if (syntax_characters.find(c) == std::string_view::npos) {
                    return fail(start, "unknown escape");
                }
                code_point = static_cast<unsigned char>(c);
                return true;
        }
    }

    // Reads exactly `digits` hexadecimal digits; consumes nothing if there are fewer.
    bool read_hex(std::size_t digits, char32_t& value) {
        auto const text = text_.substr(pos_, digits);
        value = 0;
        for (char const c : text) {
            int const digit = ascii::hex_value(static_cast<unsigned char>(c));
            if (digit < 0) return false;
            value = value * 16 + static_cast<char32_t>(digit);
        }
        if (text.size() < digits) return false;
        pos_ += digits;
        return true;
    }

    // Reads the rest of \uHHHH (two of them for a surrogate pair) or \u{...}, after the "u".
    bool read_unicode_escape(std::size_t start, char32_t& code_point) {
        if (accept('{')) {
            code_point = 0;
            std::size_t const first = pos_;
            for (; !at_end() && ascii::is_hex_digit(static_cast<unsigned char>(text_[pos_]));
                 ++pos_) {
                int const digit = ascii::hex_value(static_cast<unsigned char>(text_[pos_]));
                code_point = code_point * 16 + static_cast<char32_t>(digit);
                if (code_point > 0x10FFFF) return fail(start, "\\u{} beyond the last code point");
            }
            if (pos_ == first || !accept('}')) return fail(start, "\\u{ needs digits and a }");
            return true;
        }
        if (!read_hex(4, code_point)) return fail(start, "\\u needs four hexadecimal digits");
        if (code_point >= 0xD800 && code_point <= 0xDBFF) {
            std::size_t const after = pos_;
            char32_t low;
            if (accept("\\u") && read_hex(4, low) && low >= 0xDC00 && low <= 0xDFFF) {
                code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
            } else {
                pos_ = after;
            }
        }
        return true;
    }

    bool read_class_atom(ClassAtom& atom) {
        std::size_t const start = pos_;
        if (!accept('\\')) return take(atom.code_point);
        if (accept('b')) {
            atom.code_point = '\b';
            return true;
        }
        if (accept('-')) {
            atom.code_point = '-';
            return true;
        }
        return read_common_escape(start, atom);
    }

    // Reads a class after the "[". An RE2 class is a union of sets. A set of which only the
    // complement can be expressed becomes a separate alternative: [a\P{Alphabetic}] becomes
    // (?:[a]|[^...]).
    bool read_class(std::size_t start) {
        bool const negated = accept('^');
        std::string body;
        std::string opposite;      // the complement that was read last
        std::string alternatives;  // all complements, as alternatives: "|[^...]|[^...]"
        while (!accept(']')) {
            if (at_end()) return fail(start, "this class is not closed");
            std::size_t const atom_start = pos_;
            ClassAtom first;
            if (!read_class_atom(first)) return false;
            bool const range = next_is('-') && text_.substr(pos_, 2) != "-]";
            if (range) {
                ++pos_;
                if (at_end()) return fail(start, "this class is not closed");
                ClassAtom last;
                if (!read_class_atom(last)) return false;
                if (first.is_set() || last.is_set()) {
                    return fail(atom_start, "a range needs a character at both ends");
                }
                if (first.code_point > last.code_point) {
                    return fail(atom_start, "this range is out of order");
                }
                append(body, hex_escape(first.code_point) + "-" + hex_escape(last.code_point));
            } else if (!first.is_set()) {
                append(body, hex_escape(first.code_point));
            } else if (!first.set.body.empty()) {
                append(body, first.set.body);
            } else {
                if (negated && !opposite.empty()) refuse_difference(start);
                opposite = std::move(first.set.opposite);
                append(alternatives, "|[^" + opposite + "]");
            }
        }
        if (!negated) {
            bool const empty = body.empty();
            emit(empty ? "(?:[^" : "(?:[");
            emit(empty ? all_code_points : std::string_view(body));
            emit("]");
            emit(alternatives);
            emit(")");
        } else if (!opposite.empty()) {
            if (!body.empty()) refuse_difference(start);
            emit("[" + opposite + "]");
        } else {
            emit(body.empty() ? "[" : "[^");
            emit(body.empty() ? all_code_points : std::string_view(body));
            emit("]");
        }
        return true;
    }

    void refuse_difference(std::size_t start) {
        unsupported(start, "a negated class with a negated property and more");
    }

    bool check_references() {
        if (backreference_.number > captures_) {
            return fail(backreference_.offset, "backreference to a group that does not exist");
        }
        auto const by_text = [](Name const& a, Name const& b) { return a.text < b.text; };
        std::stable_sort(names_.begin(), names_.end(), by_text);
        auto const twin =
            std::adjacent_find(names_.begin(), names_.end(),
                               [](Name const& a, Name const& b) { return a.text == b.text; });
        if (twin != names_.end()) {
            return fail(std::next(twin)->offset, "another group has this name");
        }
        for (auto const& name : references_) {
            if (!std::binary_search(names_.begin(), names_.end(), name, by_text)) {
                return fail(name.offset, "no group has this name");
            }
        }
        return true;
    }

    std::string_view text_;
    std::size_t pos_ = 0;
    EcmaRegex regex_;
    PatternProblem problem_{};
    std::vector<Group> groups_;
    std::uint64_t captures_ = 0;
    std::vector<Name> names_;       // the names of groups
    std::vector<Name> references_;  // the names in \k<name>
    struct {
        std::uint64_t number = 0;
        std::size_t offset = 0;
    } backreference_;  // the backreference with the largest number
    bool has_not_boundary_ = false;
};

}  // namespace

std::string PatternProblem::to_string() const {
    return "at byte " + std::to_string(offset) + ": " + message;
}

Result<EcmaRegex, PatternProblem> read_ecma_regex(std::string_view pattern) {
    return Reader(pattern).read();
}

}  // namespace lanyard::schema

#include "shell_words.hpp"

#include <cstddef>

#include "failure.hpp"

namespace lanyard::app {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

class Splitter {
public:
    explicit Splitter(std::string_view line) : line_(line) {}

    std::vector<std::string> words() {
        std::vector<std::string> words;
        skip_spaces();
        if (peek() == '#') return words;
        while (!at_end()) {
            words.push_back(word());
            skip_spaces();
        }
        return words;
    }

private:
    bool at_end() const { return at_ == line_.size(); }
    char peek() const { return at_end() ? '\0' : line_[at_]; }

    void skip_spaces() {
        while (!at_end() && is_space(line_[at_])) ++at_;
    }

    std::string word() {
        std::string text;
        bool may_be_json = true;  // at the beginning of the word, and after the first "="
        bool has_value = false;
        while (!at_end() && !is_space(line_[at_])) {
            char const c = line_[at_];
            bool const after_json_sign = has_value && text.ends_with(":=");
            if (may_be_json && (c == '{' || (has_value && c == '['))) {
                text += brackets();
            } else if (may_be_json && after_json_sign && c == '"') {
                text += json_string();
            } else if (c == '\'' || c == '"') {
                text += quotation(c);
            } else {
                if (c == '\\' && at_ + 1 < line_.size()) ++at_;
                text += line_[at_++];
            }
            may_be_json = c == '=' && !has_value;
            has_value = has_value || c == '=';
        }
        return text;
    }

    std::string quotation(char quote) {
        auto const start = at_++;
        std::string text;
        while (peek() != quote) {
            if (at_end()) fail(start);
            bool const escapes = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size() &&
                                 (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
            if (escapes) ++at_;
            text += line_[at_++];
        }
        ++at_;
        return text;
    }

    std::string json_string() {
        auto const start = at_++;
        while (peek() != '"') {
            if (peek() == '\\') ++at_;
            if (at_ >= line_.size()) fail(start);
            ++at_;
        }
        ++at_;
        return std::string(line_.substr(start, at_ - start));
    }

    /// Reads a JSON object or array up to the bracket that closes it.
    std::string brackets() {
        auto const start = at_;
        std::size_t depth = 0;
        do {
            if (at_end()) fail(start);
            char const c = line_[at_];
            if (c == '"') {
                json_string();
                continue;
            }
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            ++at_;
        } while (depth > 0);
        return std::string(line_.substr(start, at_ - start));
    }

    [[noreturn]] void fail(std::size_t start) const {
        usage_error("the " + std::string(1, line_[start]) + " in column " +
                    std::to_string(start + 1) + " is not closed");
    }

    std::string_view line_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> split_line(std::string_view line) {
    return Splitter(line).words();
}

std::string quoted(std::string_view word) {
    constexpr std::string_view special = " \t\r\n'\"\\{[#";
    if (!word.empty() && word.find_first_of(special) == word.npos) return std::string(word);
    std::string text = "'";
    for (char const c : word) {
        if (c == '\'') {
            text += "'\\''";
        } else {
            text += c;
        }
    }
    return text + "'";
}

}  // namespace lanyard::app

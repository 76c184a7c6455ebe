#include "uri_template/syntax.hpp"

#include <algorithm>

#include "lanyard/uri_template.hpp"

namespace lanyard::uri_template {

namespace {

class Parser {
public:
    explicit Parser(std::string_view text) noexcept : text_(text) {}

    Result<Syntax, DecodeError> run() {
        while (at_ < text_.size()) {
            auto const done = text_[at_] == '{' ? expression() : literal();
            if (!done) return Unexpected(done.error());
        }
        return std::move(syntax_);
    }

private:
    using Done = Result<void, DecodeError>;

    Unexpected<DecodeError> error(std::string what, std::size_t position) const {
        return Unexpected(DecodeError{
            {}, std::move(what) + " at byte " + std::to_string(position) + " of the URI template"});
    }

    bool at_end() const noexcept { return at_ == text_.size(); }
    bool next_is(char c) const noexcept { return !at_end() && text_[at_] == c; }
    bool skip(char c) noexcept {
        bool const found = next_is(c);
        at_ += found;
        return found;
    }

    Done literal() {
        std::string encoded;
        auto const begin = at_;
        for (; !at_end() && text_[at_] != '{'; ++at_) {
            if (is(text_[at_], literal_character) || is_triplet(text_, at_)) continue;
            if (text_[at_] == '}') return error("'}' without '{'", at_);
            if (text_[at_] == '%') return error("'%' without two hexadecimal digits", at_);
            return error("character that must be percent-encoded", at_);
        }
        append_encoded(encoded, text_.substr(begin, at_ - begin), unreserved | reserved);
        syntax_.parts.emplace_back(std::move(encoded));
        return {};
    }

    Done expression() {
        auto const begin = at_++;
        Expression expression{&operator_here(), {}};
        do {
            if (auto const done = variable(expression); !done) return done;
        } while (skip(','));
        if (at_end()) return error("'{' without '}'", begin);
        if (!skip('}')) return error("character that is not allowed in an expression", at_);
        syntax_.parts.emplace_back(std::move(expression));
        return {};
    }

    Operator const& operator_here() noexcept {
        auto const found =
            std::ranges::find_if(operators.begin() + 1, operators.end(),
                                 [&](Operator const& op) { return skip(op.symbol); });
        return found != operators.end() ? *found : operators.front();
    }

    Done variable(Expression& expression) {
        Variable variable;
        auto const begin = at_;
        if (auto const done = name(); !done) return done;
        if (++variables_ > UriTemplate::max_variables) {
            return error("more than " + std::to_string(UriTemplate::max_variables) + " variables",
                         begin);
        }
        variable.name = index_of(text_.substr(begin, at_ - begin));
        if (skip('*')) {
            variable.explode = true;
        } else if (skip(':')) {
            if (auto const done = prefix(variable.prefix); !done) return done;
        }
        expression.variables.push_back(variable);
        return {};
    }

    // Parses letters, digits, '_' and triplets, with single dots between them.
    Done name() {
        auto const begin = at_;
        do {
            auto const part = at_;
            while (!at_end()) {
                if (is(text_[at_], name_character)) {
                    ++at_;
                } else if (is_triplet(text_, at_)) {
                    at_ += 3;
                } else {
                    break;
                }
            }
            if (at_ == part) return error(describe_missing_name(begin), at_);
        } while (skip('.'));
        return {};
    }

    std::string describe_missing_name(std::size_t begin) const {
        if (at_end()) return "expression that does not end";
        if (at_ != begin) return "variable name with a misplaced '.'";
        if (std::string_view("=!@|").find(text_[at_]) != std::string_view::npos) {
            return std::string("operator '") + text_[at_] + "', which RFC 6570 reserves,";
        }
        return "missing variable name";
    }

    // Parses a number from 1 to 9999 without leading zeros.
    Done prefix(std::uint16_t& out) {
        auto const begin = at_;
        unsigned value = 0;
        while (!at_end() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 4) {
            value = value * 10 + static_cast<unsigned>(text_[at_++] - '0');
        }
        if (at_ == begin || text_[begin] == '0') {
            return error("prefix length that is not a number from 1 to 9999", begin);
        }
        out = static_cast<std::uint16_t>(value);
        return {};
    }

    std::uint32_t index_of(std::string_view name) {
        auto const known = std::ranges::find(syntax_.names, name);
        auto const index = static_cast<std::uint32_t>(known - syntax_.names.begin());
        if (known == syntax_.names.end()) {
            syntax_.names.emplace_back(name);
        } else {
            syntax_.repeats = true;
        }
        return index;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t variables_ = 0;
    Syntax syntax_;
};

}  // namespace

Result<Syntax, DecodeError> parse(std::string_view text) {
    return Parser(text).run();
}

}  // namespace lanyard::uri_template

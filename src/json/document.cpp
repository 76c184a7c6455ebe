#include "lanyard/json/document.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <simdjson.h>

#include "json/text.hpp"

namespace lanyard::json {

using detail::Node;

namespace {

constexpr std::uint32_t escaped_flag = 8;
constexpr std::uint32_t max_count = (1U << 28) - 1;

std::string describe_byte(char c) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) return std::string("'") + c + "'";
    constexpr std::string_view digits = "0123456789abcdef";
    return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15U];
}

// A second, slow look at a text that simdjson's first stage refused: what is wrong, and where.
ParseError explain_refusal(std::string_view text) {
    if (auto const at = find_bad_utf8(text)) {
        return {ParseErrc::bad_utf8, *at, "invalid UTF-8"};
    }
    bool in_string = false;
    std::size_t opened = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (!in_string) {
            in_string = c == '"';
            opened = i;
        } else if (c == '"') {
            in_string = false;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            return {ParseErrc::control_character, i,
                    "control character in a string: " + describe_byte(c)};
        } else if (c == '\\') {
            ++i;
        }
    }
    if (in_string) return {ParseErrc::unclosed_string, opened, "string is not closed"};
    return {ParseErrc::empty, text.size(), "no JSON value"};
}

// Builds the nodes from the positions of structural characters that simdjson's first stage found:
// every bracket, comma and colon outside strings, and the first byte of every string, number and
// literal.
class Builder {
public:
    Builder(std::string_view text, std::uint32_t const* tokens, std::uint32_t token_count,
            Node* nodes, ParseOptions const& options, std::vector<std::uint32_t>& open,
            std::vector<std::string_view>& keys)
        : text_(text),
          tokens_(tokens),
          token_count_(token_count),
          nodes_(nodes),
          options_(options),
          open_(open),
          keys_(keys) {
        open_.clear();
    }

    bool run() {
        if (!value()) return false;
        while (!open_.empty()) {
            if (!next_in_container()) return false;
        }
        return token_ == token_count_ ||
               fail(ParseErrc::unexpected, position(), "unexpected " + found());
    }

    ParseError take_error() { return std::move(error_); }

private:
    std::uint32_t position() const noexcept {
        return token_ < token_count_ ? tokens_[token_] : static_cast<std::uint32_t>(text_.size());
    }
    char current() const noexcept { return token_ < token_count_ ? text_[tokens_[token_]] : '\0'; }
    std::string found() const {
        return token_ < token_count_ ? describe_byte(current()) : std::string("end of text");
    }

    bool fail(ParseErrc code, std::size_t offset, std::string message) {
        error_ = {code, offset, std::move(message)};
        return false;
    }

    // One past the last byte of the token that begins at tokens_[token_].
    std::uint32_t token_end() const noexcept {
        auto end = token_ + 1 < token_count_ ? tokens_[token_ + 1]
                                             : static_cast<std::uint32_t>(text_.size());
        while (is_space(text_[end - 1])) --end;
        return end;
    }

    bool add(std::uint32_t begin, std::uint32_t end, std::uint32_t info) {
        if (count_ == options_.max_nodes) {
            return fail(ParseErrc::too_many_nodes, begin,
                        "more than " + std::to_string(options_.max_nodes) + " values");
        }
        nodes_[count_] = {begin, end, count_ + 1, info};
        ++count_;
        ++token_;
        return true;
    }

    // The value at the present token; containers are entered, and left at once if empty.
    bool value() {
        for (;;) {
            switch (current()) {
                case '{':
                    if (!enter(Kind::object)) return false;
                    if (current() == '}') return leave();
                    if (!key()) return false;
                    continue;
                case '[':
                    if (!enter(Kind::array)) return false;
                    if (current() == ']') return leave();
                    continue;
                case '"':
                    return string();
                case 't':
                    return literal("true", Kind::boolean);
                case 'f':
                    return literal("false", Kind::boolean);
                case 'n':
                    return literal("null", Kind::null);
                default:
                    return number();
            }
        }
    }

    bool enter(Kind kind) {
        if (open_.size() == options_.max_depth) {
            return fail(ParseErrc::too_deep, position(),
                        "nested deeper than " + std::to_string(options_.max_depth) + " levels");
        }
        open_.push_back(count_);
        return add(position(), 0, static_cast<std::uint32_t>(kind));
    }

    bool leave() {
        auto const index = open_.back();
        open_.pop_back();
        Node& node = nodes_[index];
        node.end = position() + 1;
        node.next = count_;
        ++token_;
        return !options_.unique_keys || node.kind() != Kind::object || node.count() < 2 ||
               has_unique_keys(node, index);
    }

    // After a value inside a container: the comma and the next value, or the end.
    bool next_in_container() {
        Node& node = nodes_[open_.back()];
        // The value just read is counted here; an empty container never comes here.
        if (node.count() == max_count) {
            return fail(ParseErrc::too_many_nodes, position(), "too many values");
        }
        node.info += 16;
        bool const is_object = node.kind() == Kind::object;
        if (current() == ',') {
            ++token_;
            return (!is_object || key()) && value();
        }
        if (current() == (is_object ? '}' : ']')) return leave();
        return fail(
            ParseErrc::unexpected, position(),
            std::string("expected ',' or '") + (is_object ? '}' : ']') + "', found " + found());
    }

    bool key() {
        if (current() != '"') {
            return fail(ParseErrc::unexpected, position(),
                        "expected a member name in quotes, found " + found());
        }
        if (!string()) return false;
        if (current() != ':') {
            return fail(ParseErrc::unexpected, position(), "expected ':', found " + found());
        }
        ++token_;
        return true;
    }

    bool string() {
        auto const begin = tokens_[token_];
        auto const end = token_end();
        auto const characters = text_.substr(begin + 1, end - begin - 2);
        auto info = static_cast<std::uint32_t>(Kind::string);
        if (std::memchr(characters.data(), '\\', characters.size()) != nullptr) {
            info |= escaped_flag;
            if (auto const bad = find_bad_escape(characters)) {
                return fail(ParseErrc::bad_escape, begin + 1 + *bad, "invalid escape in a string");
            }
        }
        return add(begin, end, info);
    }

    bool literal(std::string_view word, Kind kind) {
        auto const begin = tokens_[token_];
        auto const end = token_end();
        if (text_.substr(begin, end - begin) != word) return unexpected_value();
        return add(begin, end, static_cast<std::uint32_t>(kind));
    }

    bool number() {
        char const c = current();
        if (token_ == token_count_ || (c != '-' && (c < '0' || c > '9'))) return unexpected_value();
        auto const begin = tokens_[token_];
        auto const end = token_end();
        auto const token = text_.substr(begin, end - begin);
        Kind kind = Kind::real;
        switch (check_number(token, options_.big_integers, kind)) {
            case NumberCheck::ok:
                return add(begin, end, static_cast<std::uint32_t>(kind));
            case NumberCheck::malformed:
                return fail(ParseErrc::bad_number, begin, "malformed number");
            case NumberCheck::out_of_range:
                break;
        }
        return fail(ParseErrc::number_out_of_range, begin, "number out of range");
    }

    bool unexpected_value() {
        return fail(ParseErrc::unexpected, position(), "expected a value, found " + found());
    }

    std::string_view key_characters(Node const& node) const noexcept {
        return text_.substr(node.begin + 1, node.end - node.begin - 2);
    }

    bool has_unique_keys(Node const& object, std::uint32_t index) {
        keys_.clear();
        bool escaped = false;
        for (auto i = index + 1; i < object.next; i = nodes_[i + 1].next) {
            keys_.push_back(key_characters(nodes_[i]));
            escaped = escaped || nodes_[i].escaped();
        }
        if (escaped) return has_unique_decoded_keys();
        // A handful of keys is compared pair by pair; that is cheaper than sorting them.
        constexpr std::size_t few = 12;
        if (keys_.size() <= few) {
            for (std::size_t i = 1; i < keys_.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    if (keys_[i] == keys_[j]) return duplicate(keys_[i]);
                }
            }
            return true;
        }
        std::sort(keys_.begin(), keys_.end());
        auto const twice = std::adjacent_find(keys_.begin(), keys_.end());
        return twice == keys_.end() || duplicate(std::max(*twice, *(twice + 1), by_position));
    }

    // The same key may be spelled with different escapes.
    bool has_unique_decoded_keys() {
        std::vector<std::pair<std::string, std::string_view>> decoded;
        decoded.reserve(keys_.size());
        for (auto const& characters : keys_) {
            decoded.emplace_back(std::string(), characters);
            append_unescaped(decoded.back().first, characters);
        }
        std::sort(decoded.begin(), decoded.end(), [](auto const& a, auto const& b) {
            return a.first != b.first ? a.first < b.first : by_position(a.second, b.second);
        });
        auto const twice =
            std::adjacent_find(decoded.begin(), decoded.end(),
                               [](auto const& a, auto const& b) { return a.first == b.first; });
        return twice == decoded.end() || duplicate((twice + 1)->second);
    }

    static bool by_position(std::string_view a, std::string_view b) noexcept {
        return a.data() < b.data();
    }

    bool duplicate(std::string_view characters) {
        auto const offset = static_cast<std::size_t>(characters.data() - text_.data()) - 1;
        constexpr std::size_t shown = 64;
        auto name = std::string(characters.substr(0, shown));
        if (characters.size() > shown) name += "...";
        return fail(ParseErrc::duplicate_key, offset, "duplicate key \"" + name + "\"");
    }

    std::string_view text_;
    std::uint32_t const* tokens_;
    std::uint32_t token_count_;
    Node* nodes_;
    ParseOptions const& options_;
    std::vector<std::uint32_t>& open_;     // indexes of the containers around the present value
    std::vector<std::string_view>& keys_;  // scratch for has_unique_keys
    std::uint32_t token_ = 0;
    std::uint32_t count_ = 0;
    ParseError error_{};
};

}  // namespace

std::string_view describe(Kind kind) noexcept {
    constexpr std::array<std::string_view, 8> names{"null",       "a boolean", "an integer",
                                                    "an integer", "a number",  "a string",
                                                    "an array",   "an object"};
    return names[static_cast<std::size_t>(kind)];
}

std::string ParseError::to_string() const {
    return message + " at byte " + std::to_string(offset);
}

struct Document::Parser {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage1;
    std::unique_ptr<Node[]> nodes;
    std::size_t node_capacity = 0;
    std::vector<std::uint32_t> open;
    std::vector<std::string_view> keys;

    void reserve_text(std::size_t bytes) {
        if (stage1 != nullptr && stage1->capacity() >= bytes) return;
        // Grown in steps, so that a stream of slowly growing messages does not allocate each time.
        auto const capacity = std::max<std::size_t>(4096, bytes + bytes / 2);
        stage1.reset();
        auto const error = simdjson::get_active_implementation()->create_dom_parser_implementation(
            capacity, 1, stage1);
        if (error != simdjson::SUCCESS) throw std::bad_alloc();
    }

    void reserve_nodes(std::size_t count) {
        if (node_capacity >= count) return;
        node_capacity = std::max<std::size_t>(64, count + count / 2);
        nodes = std::make_unique_for_overwrite<Node[]>(node_capacity);
    }
};

Document::Document() : parser_(std::make_unique<Parser>()) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Result<View, ParseError> Document::parse(std::string_view text, ParseOptions const& options) {
    auto const refuse = [](ParseErrc code, std::size_t offset, std::string message) {
        return Unexpected(ParseError{code, offset, std::move(message)});
    };
    constexpr std::size_t addressable = simdjson::SIMDJSON_MAXSIZE_BYTES;
    if (text.size() > std::min(options.max_bytes, addressable)) {
        return refuse(ParseErrc::too_large, options.max_bytes,
                      "text of " + std::to_string(text.size()) + " bytes exceeds the limit of " +
                          std::to_string(options.max_bytes));
    }
    if (text.empty()) return refuse(ParseErrc::empty, 0, "no JSON value");
    if (text.starts_with("\xEF\xBB\xBF")) {
        return refuse(ParseErrc::byte_order_mark, 0, "byte order mark");
    }
    parser_->reserve_text(text.size());
    auto& stage1 = *parser_->stage1;
    auto const error = stage1.stage1(reinterpret_cast<std::uint8_t const*>(text.data()),
                                     text.size(), simdjson::stage1_mode::regular);
    if (error != simdjson::SUCCESS) return Unexpected(explain_refusal(text));

    auto const tokens = stage1.n_structural_indexes;
    parser_->reserve_nodes(std::min(tokens, options.max_nodes) + std::size_t{1});
    Builder builder(text, stage1.structural_indexes.get(), tokens, parser_->nodes.get(), options,
                    parser_->open, parser_->keys);
    if (!builder.run()) return Unexpected(builder.take_error());
    return View(text.data(), parser_->nodes.get(), 0);
}

void Document::shrink() noexcept {
    constexpr std::size_t worth_keeping = 64 * 1024;
    if (parser_->stage1 != nullptr && parser_->stage1->capacity() > worth_keeping) {
        parser_->stage1.reset();
    }
    if (parser_->node_capacity > worth_keeping / sizeof(Node)) {
        parser_->nodes.reset();
        parser_->node_capacity = 0;
    }
    parser_->keys = {};
}

Result<Json, ParseError> parse(std::string_view text, ParseOptions const& options) {
    Document document;
    return document.parse(text, options).transform([](View view) { return view.to_json(); });
}

}  // namespace lanyard::json

#include "json/parser.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <simdjson.h>

#include "base/utf8.hpp"
#include "json/text.hpp"

namespace lanyard::json {

using detail::Node;

namespace {

constexpr std::uint32_t escaped_flag = 8;
// A node stores its element count in 28 bits.
constexpr std::uint32_t max_addressable_nodes = (1U << 28) - 1;

std::string describe_byte(char c) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) return std::string("'") + c + "'";
    constexpr std::string_view digits = "0123456789abcdef";
    return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15U];
}

// Finds the error, and its position, in a text that simdjson's first stage has refused. Slow.
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

// The kinds of tokens that the parser may expect, for messages about unexpected tokens.
enum class Expected { value, name, colon, comma_or_brace, comma_or_bracket, end };

// The location of a text, and the positions that simdjson's first stage found: every bracket, comma
// and colon outside strings, and the first byte of every string, number and literal.
struct Structure {
    // The buffer, which may hold several texts. All positions, including begin and end, are offsets
    // in this buffer.
    char const* bytes;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t const* tokens;
    std::uint32_t const* tokens_end;  // the entry after the last token: the end of the buffer
    bool has_backslash;               // whether the bytes contain a backslash; most texts do not
};

// Builds the nodes of a text from its structure. The buffer may contain more texts after this one.
// If this text is incomplete, parsing continues with the tokens of the next text; end() detects
// this.
//
// While a container is open, its `extent` stores the index of the container around it, so no stack
// is needed. When the container is closed, `extent` gets its proper value. The changing state is in
// a Cursor that stays in registers: the steps are inlined into run(), and the failure functions
// take the Cursor by value.
class Builder {
public:
    Builder(Structure const& structure, Node* nodes, ParseOptions const& options)
        : bytes_(structure.bytes),
          begin_(structure.begin),
          end_(structure.end),
          tokens_(structure.tokens),
          tokens_end_(structure.tokens_end),
          nodes_(nodes),
          nodes_end_(nodes + std::min(options.max_nodes, max_addressable_nodes)),
          has_backslash_(structure.has_backslash),
          options_(options) {}

    bool run() {
        Cursor at{tokens_, nodes_};
        for (;;) {
            if (!value(at)) return false;
            while (at.depth != 0) {
                at.info += one_more;
                char const c = current(at);
                bool const is_object = at.in_object();
                if (c == ',') {
                    ++at.token;
                    if (is_object && !key(at)) return false;
                    break;
                }
                if (c != (is_object ? '}' : ']')) {
                    return fail(at,
                                is_object ? Expected::comma_or_brace : Expected::comma_or_bracket);
                }
                if (!leave(at)) return false;
            }
            if (at.depth == 0) return *at.token >= end_ ? end(at) : fail(at, Expected::end);
        }
    }

    // The first token that does not belong to this text: the beginning of the next text in the
    // buffer, or the end of the tokens.
    std::uint32_t const* rest() const noexcept { return rest_; }

    ParseError take_error() { return std::move(error_); }

private:
    static constexpr std::uint32_t one_more = 16;
    static constexpr std::size_t few_keys = 12;

    struct Cursor {
        std::uint32_t const* token;  // the current token
        Node* node;                  // where the next node is written
        Node* container = node;      // the innermost open container
        std::uint32_t info = 0;      // the current value of Node::info for `container`
        std::uint32_t depth = 0;

        bool in_object() const noexcept {
            return (info & 7U) == static_cast<std::uint32_t>(Kind::object);
        }
    };

    // Called after the outermost value has been parsed. Returns false if this text is incomplete,
    // so that the value ended only inside the next text of the buffer.
    [[gnu::always_inline]] bool end(Cursor const& at) {
        rest_ = at.token;
        return at.token[-1] < end_;
    }

    [[gnu::always_inline]] char current(Cursor const& at) const noexcept {
        return at.token != tokens_end_ ? bytes_[*at.token] : '\0';
    }

    // Returns the end of the current token. This also works for the last token, because simdjson
    // stores the end of the text after the positions of the tokens.
    [[gnu::always_inline]] char const* token_end(Cursor const& at) const noexcept {
        char const* end = bytes_ + at.token[1];
        while (is_space(end[-1])) --end;
        return end;
    }

    // Returns the bytes of the current token.
    [[gnu::always_inline]] std::string_view token(Cursor const& at) const noexcept {
        char const* const begin = bytes_ + *at.token;
        return {begin, static_cast<std::size_t>(token_end(at) - begin)};
    }

    [[gnu::always_inline]] bool add(Cursor& at, char const* end, std::uint32_t info) {
        if (at.node == nodes_end_) return fail_at_limit(at);
        auto const past = static_cast<std::uint32_t>(end - bytes_);
        *at.node = {*at.token - begin_, past - begin_, 1, info};
        ++at.node;
        ++at.token;
        return true;
    }

    // Parses the value at the current token. If it is a container that is not empty, enters it and
    // parses its first value.
    [[gnu::always_inline]] bool value(Cursor& at) {
        for (;;) {
            char const c = current(at);
            if (c == '"') return string(at);
            if (c == '{') {
                if (!enter(at, Kind::object)) return false;
                if (current(at) == '}') return leave(at);
                if (!key(at)) return false;
            } else if (c == '[') {
                if (!enter(at, Kind::array)) return false;
                if (current(at) == ']') return leave(at);
            } else {
                return c >= '0' && c <= '9' ? digits(at) : other_value(at, c);
            }
        }
    }

    [[gnu::always_inline]] bool enter(Cursor& at, Kind kind) {
        if (at.depth == options_.max_depth) return fail_too_deep(at);
        at.container->info = at.info;
        auto const around = static_cast<std::uint32_t>(at.container - nodes_);
        at.container = at.node;
        at.info = static_cast<std::uint32_t>(kind);
        if (!add(at, bytes_, at.info)) return false;
        at.container->extent = around;
        ++at.depth;
        return true;
    }

    [[gnu::always_inline]] bool leave(Cursor& at) {
        Node& container = *at.container;
        container.end = *at.token + 1 - begin_;
        container.info = at.info;
        at.container = nodes_ + container.extent;
        at.info = at.container->info;
        container.extent = static_cast<std::uint32_t>(at.node - &container);
        ++at.token;
        --at.depth;
        return container.count() < 2 || container.kind() != Kind::object || !options_.unique_keys ||
               has_unique_keys(&container);
    }

    [[gnu::always_inline]] bool key(Cursor& at) {
        if (current(at) != '"') return fail(at, Expected::name);
        if (!string(at)) return false;
        if (current(at) != ':') return fail(at, Expected::colon);
        ++at.token;
        return true;
    }

    [[gnu::always_inline]] bool string(Cursor& at) {
        // The token ends at its last quote, because only white space lies between this quote and
        // the next token.
        char const* end = bytes_ + at.token[1];
        while (end[-1] != '"') --end;
        if (has_backslash_) [[unlikely]]
            return string_with_escapes(at, end);
        return add(at, end, static_cast<std::uint32_t>(Kind::string));
    }

    [[gnu::always_inline]] bool string_with_escapes(Cursor& at, char const* end) {
        auto info = static_cast<std::uint32_t>(Kind::string);
        auto const quoted = std::string_view(bytes_ + *at.token, end);
        if (quoted.find('\\') != std::string_view::npos) {
            info |= escaped_flag;
            auto const bad = find_bad_escape(quoted.substr(1, quoted.size() - 2));
            if (bad) return fail_escape(at, *bad);
        }
        return add(at, end, info);
    }

    // Parses a number that begins with a digit. Small integers, which most numbers are, take the
    // fast path.
    [[gnu::always_inline]] bool digits(Cursor& at) {
        constexpr std::ptrdiff_t always_fits = 18;
        char const* const begin = bytes_ + *at.token;
        char const* const end = bytes_ + at.token[1];
        char const* p = begin;
        while (p != end && *p >= '0' && *p <= '9') ++p;
        bool const plain = p == end && (*begin != '0' || end - begin == 1);
        if (!plain || end - begin > always_fits) return number(at);
        return add(at, end, static_cast<std::uint32_t>(Kind::integer));
    }

    [[gnu::always_inline]] bool other_value(Cursor& at, char c) {
        switch (c) {
            case 't':
                return literal(at, "true", Kind::boolean);
            case 'f':
                return literal(at, "false", Kind::boolean);
            case 'n':
                return literal(at, "null", Kind::null);
            case '-':
                return number(at);
            default:
                return fail(at, Expected::value);
        }
    }

    [[gnu::always_inline]] bool literal(Cursor& at, std::string_view word, Kind kind) {
        auto const found = token(at);
        if (found != word) return fail(at, Expected::value);
        return add(at, found.data() + found.size(), static_cast<std::uint32_t>(kind));
    }

    [[gnu::always_inline]] bool number(Cursor& at) {
        auto const found = token(at);
        Kind kind = Kind::real;
        auto const check = check_number(found, options_.big_integers, kind);
        if (check != NumberCheck::ok) return fail_number(at, check);
        return add(at, found.data() + found.size(), static_cast<std::uint32_t>(kind));
    }

    std::string_view key_characters(Node const& key) const noexcept {
        return {bytes_ + begin_ + key.begin + 1, key.end - key.begin - 2};
    }

    // Checks that no key occurs twice; this is the fast way for objects with few keys. Each key
    // selects one of 64 bits by its size and its first and last characters. If no bit is selected
    // twice, the keys are unique. Otherwise every key is compared with every other key. Even that
    // is cheaper than sorting.
    bool has_unique_keys(Node const* object) {
        if (object->count() > few_keys) return has_unique_keys_by_sorting(object);
        std::uint64_t seen = 0;
        char const* const text = bytes_ + begin_;
        for (Node const* key = object + 1; key != object->next(); key = key[1].next()) {
            if (key->escaped()) return has_unique_keys_by_sorting(object);
            auto const first = static_cast<unsigned char>(text[key->begin + 1]);
            auto const last = static_cast<unsigned char>(text[key->end - 2]);
            auto const bit = std::uint64_t{1}
                             << ((key->end - key->begin + first * 17U + last * 3U) % 64);
            if ((seen & bit) != 0) return has_unique_keys_by_pairs(object);
            seen |= bit;
        }
        return true;
    }

    [[gnu::noinline]] bool has_unique_keys_by_pairs(Node const* object) {
        std::array<Node const*, few_keys> keys;
        std::size_t count = 0;
        for (Node const* key = object + 1; key != object->next(); key = key[1].next()) {
            if (key->escaped()) return has_unique_keys_by_sorting(object);
            for (std::size_t i = 0; i < count; ++i) {
                if (key_characters(*keys[i]) == key_characters(*key)) {
                    return fail_duplicate(key_characters(*key), key->begin);
                }
            }
            keys[count++] = key;
        }
        return true;
    }

    // For objects that have many keys, or keys with escapes. Sorts the keys by hash, which costs
    // the same however similar the keys are. If hashes collide, compares the characters. Compares
    // decoded keys, because one key may be spelled with different escapes.
    [[gnu::noinline]] bool has_unique_keys_by_sorting(Node const* object) {
        struct Key {
            std::size_t hash;
            std::string_view characters;
            std::uint32_t position;
        };
        std::vector<Key> keys;
        std::vector<std::string> decoded;
        keys.reserve(object->count());
        decoded.reserve(object->count());
        for (Node const* key = object + 1; key != object->next(); key = key[1].next()) {
            auto characters = key_characters(*key);
            if (key->escaped()) {
                append_unescaped(decoded.emplace_back(), characters);
                characters = decoded.back();
            }
            keys.push_back({std::hash<std::string_view>{}(characters), characters, key->begin});
        }
        std::sort(keys.begin(), keys.end(), [](Key const& a, Key const& b) {
            if (a.hash != b.hash) return a.hash < b.hash;
            auto const order = a.characters.compare(b.characters);
            return order != 0 ? order < 0 : a.position < b.position;
        });
        auto const twice =
            std::adjacent_find(keys.begin(), keys.end(), [](Key const& a, Key const& b) {
                return a.hash == b.hash && a.characters == b.characters;
            });
        return twice == keys.end() || fail_duplicate(twice->characters, (twice + 1)->position);
    }

    [[gnu::cold, gnu::noinline]] bool fail_with(ParseErrc code, std::size_t at,
                                                std::string message) {
        error_ = {code, at, std::move(message)};
        return false;
    }

    std::size_t position(Cursor at) const noexcept {
        return at.token != tokens_end_ ? *at.token : end_;
    }

    [[gnu::cold, gnu::noinline]] bool fail(Cursor at, Expected expected) {
        constexpr std::array<std::string_view, 6> names{
            "a value", "a member name in quotes", "':'", "',' or '}'", "',' or ']'", "the end"};
        return fail_with(
            ParseErrc::unexpected, position(at),
            "expected " + std::string(names[static_cast<std::size_t>(expected)]) + ", found " +
                (at.token != tokens_end_ ? describe_byte(current(at)) : "end of text"));
    }

    [[gnu::cold, gnu::noinline]] bool fail_number(Cursor at, NumberCheck check) {
        if (check == NumberCheck::malformed) {
            return fail_with(ParseErrc::bad_number, position(at), "malformed number");
        }
        return fail_with(ParseErrc::number_out_of_range, position(at), "number out of range");
    }

    [[gnu::cold, gnu::noinline]] bool fail_at_limit(Cursor at) {
        return fail_with(ParseErrc::too_many_nodes, position(at),
                         "more than " + std::to_string(nodes_end_ - nodes_) + " values");
    }

    [[gnu::cold, gnu::noinline]] bool fail_too_deep(Cursor at) {
        return fail_with(ParseErrc::too_deep, position(at),
                         "nested deeper than " + std::to_string(options_.max_depth) + " levels");
    }

    [[gnu::cold, gnu::noinline]] bool fail_escape(Cursor at, std::size_t offset) {
        return fail_with(ParseErrc::bad_escape, position(at) + 1 + offset,
                         "invalid escape in a string");
    }

    [[gnu::cold, gnu::noinline]] bool fail_duplicate(std::string_view key, std::size_t at) {
        constexpr std::size_t shown = 64;
        auto name = std::string(utf8_prefix(key, shown));
        if (key.size() > shown) name += "...";
        return fail_with(ParseErrc::duplicate_key, at, "duplicate key \"" + name + "\"");
    }

    char const* bytes_;
    std::uint32_t begin_;
    std::uint32_t end_;
    std::uint32_t const* tokens_;
    std::uint32_t const* tokens_end_;
    std::uint32_t const* rest_ = nullptr;
    Node* nodes_;
    Node* nodes_end_;
    bool has_backslash_;
    ParseOptions const& options_;
    ParseError error_{};
};

}  // namespace

TextParser::TextParser() noexcept = default;
TextParser::TextParser(TextParser&&) noexcept = default;
TextParser& TextParser::operator=(TextParser&&) noexcept = default;
TextParser::~TextParser() = default;

Result<View, ParseError> TextParser::parse(std::string_view text, ParseOptions const& options) {
    auto const refuse = [](ParseErrc code, std::size_t offset, std::string message) {
        return Unexpected(ParseError{code, offset, std::move(message)});
    };
    constexpr std::size_t addressable = simdjson::SIMDJSON_MAXSIZE_BYTES;
    if (text.size() > std::min(options.max_bytes, addressable)) {
        return refuse(ParseErrc::too_large, options.max_bytes,
                      "text of " + std::to_string(text.size()) + " bytes exceeds the limit of " +
                          std::to_string(options.max_bytes));
    }
    if (is_ahead(text) && build_ahead(text, options)) return View(text.data(), nodes_.get());
    if (text.empty()) return refuse(ParseErrc::empty, 0, "no JSON value");
    if (text.starts_with("\xEF\xBB\xBF")) {
        return refuse(ParseErrc::byte_order_mark, 0, "byte order mark");
    }
    if (!find_structure(text)) return Unexpected(explain_refusal(text));
    auto const* const tokens = stage1_->structural_indexes.get();
    Structure const structure{text.data(),
                              0,
                              static_cast<std::uint32_t>(text.size()),
                              tokens,
                              tokens + stage1_->n_structural_indexes,
                              text.find('\\') != std::string_view::npos};
    reserve_nodes(std::min(stage1_->n_structural_indexes, options.max_nodes) + std::size_t{1});
    Builder builder(structure, nodes_.get(), options);
    if (!builder.run()) return Unexpected(builder.take_error());
    return View(text.data(), nodes_.get());
}

bool TextParser::find_structure(std::string_view text) {
    forget();
    reserve_text(text.size());
    return stage1_->stage1(reinterpret_cast<std::uint8_t const*>(text.data()), text.size(),
                           simdjson::stage1_mode::regular) == simdjson::SUCCESS;
}

// Finds the structure of several lines at once. This is safe because a string cannot contain a line
// break: if the lines are valid together, each line is valid alone. If they are not valid, nothing
// is kept, and the error is found when the lines are parsed one by one.
void TextParser::look_ahead(std::string_view lines) {
    if (lines.size() > simdjson::SIMDJSON_MAXSIZE_BYTES || !find_structure(lines)) return;
    ahead_ = lines;
    next_ = 0;
    ahead_has_escapes_ = lines.find('\\') != std::string_view::npos;
}

bool TextParser::is_ahead(std::string_view text) noexcept {
    std::less_equal<char const*> const in_order;
    return !ahead_.empty() && in_order(ahead_.data(), text.data()) &&
           in_order(text.data() + text.size(), ahead_.data() + ahead_.size());
}

// Builds the nodes of a text from the structure that look_ahead() has found. Returns false if the
// text must be parsed separately, for example to find the error in it.
bool TextParser::build_ahead(std::string_view text, ParseOptions const& options) {
    auto const* const tokens = stage1_->structural_indexes.get();
    auto const* const tokens_end = tokens + stage1_->n_structural_indexes;
    auto const begin = static_cast<std::uint32_t>(text.data() - ahead_.data());
    auto const* first = tokens + next_;
    while (first != tokens_end && *first < begin) ++first;
    bool const in_order = first == tokens || first[-1] < begin;
    if (!in_order || first == tokens_end) return false;
    Structure const structure{
        ahead_.data(), begin,      begin + static_cast<std::uint32_t>(text.size()),
        first,         tokens_end, ahead_has_escapes_};
    reserve_nodes(std::min(stage1_->n_structural_indexes, options.max_nodes) + std::size_t{1});
    Builder builder(structure, nodes_.get(), options);
    if (!builder.run()) return false;
    next_ = static_cast<std::uint32_t>(builder.rest() - tokens);
    return true;
}

void TextParser::reserve_text(std::size_t bytes) {
    if (stage1_ != nullptr && stage1_->capacity() >= bytes) return;
    // Allocates more than needed, so that a stream of slowly growing messages does not allocate
    // each time.
    auto const capacity = std::max<std::size_t>(4096, bytes + bytes / 2);
    stage1_.reset();
    auto const error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity, 1, stage1_);
    if (error != simdjson::SUCCESS) throw std::bad_alloc();
}

void TextParser::reserve_nodes(std::size_t count) {
    if (node_capacity_ >= count) return;
    auto const capacity = std::max<std::size_t>(64, count + count / 2);
    // After a failure there is no memory at all, so the next message allocates it.
    node_capacity_ = 0;
    nodes_ = std::make_unique_for_overwrite<Node[]>(capacity);
    node_capacity_ = capacity;
}

void TextParser::shrink() noexcept {
    constexpr std::size_t worth_keeping = 64 * 1024;
    if (stage1_ != nullptr && stage1_->capacity() > worth_keeping) {
        forget();
        stage1_.reset();
    }
    if (node_capacity_ > worth_keeping / sizeof(Node)) {
        nodes_.reset();
        node_capacity_ = 0;
    }
}

}  // namespace lanyard::json

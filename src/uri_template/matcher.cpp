#include "uri_template/matcher.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <span>

#include "uri_template/expand.hpp"
#include "uri_template/path.hpp"

namespace lanyard::uri_template {

namespace {

/// A part of the URI. The numbers are 32-bit, because the URI is shorter than 4 GiB.
struct Piece {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;

    std::string_view of(std::string_view uri) const noexcept { return uri.substr(begin, size); }
};

constexpr Piece no_piece{std::numeric_limits<std::uint32_t>::max(), 0};

/// A matched item. It is small, because there may be one for every character of the URI.
struct Item {
    Piece key = no_piece;
    Piece text;

    bool has_key() const noexcept { return key.begin != no_piece.begin; }
};

/// The part of the URI that matched one occurrence of a variable.
struct Capture {
    Occurrence const* occurrence;
    std::span<Item const> items;
};

bool is_item(TemplateNode const& node) noexcept {
    return node.kind == TemplateNode::Kind::run && node.role != RunRole::key;
}

// Returns the captures of the path. Consumes the path, which is empty afterwards.
std::vector<Capture> captures_of(TemplateProgram const& program, TemplatePath& path,
                                 std::vector<Item>& items) {
    std::size_t count = 0;
    path.for_each([&](Step const& step) { count += is_item(program.nodes[step.node]); });
    std::vector<Capture> captures;
    captures.reserve(program.occurrences.size());
    // Captures point into `items`, so the vector must not be reallocated later.
    items.reserve(count);
    Piece key = no_piece;
    path.consume([&](Step const& step) {
        auto const& node = program.nodes[step.node];
        if (node.kind != TemplateNode::Kind::run) return;
        Piece const text{step.begin, step.end - step.begin};
        if (node.role == RunRole::key) {
            key = text;
            return;
        }
        auto const* occurrence = &program.occurrences[node.occurrence];
        items.push_back({std::exchange(key, no_piece), text});
        if (captures.empty() || captures.back().occurrence != occurrence) {
            captures.push_back({occurrence, {&items.back(), 1}});
        } else {
            auto& captured = captures.back().items;
            captured = {captured.data(), captured.size() + 1};
        }
    });
    return captures;
}

/// Whether the expression of this capture matched only an empty string, and the operator of the
/// expression has no leading character. If so, all variables of the expression count as undefined,
/// so that the captured variable does not become an empty string.
bool is_nothing(std::span<Capture const> captures, std::size_t index) noexcept {
    auto const& capture = captures[index];
    auto const in_same_expression = [&](std::size_t other) {
        return other < captures.size() &&
               captures[other].occurrence->expression == capture.occurrence->expression;
    };
    auto const& only = capture.items.front();
    return capture.occurrence->op->first.empty() && capture.items.size() == 1 && !only.has_key() &&
           only.text.size == 0 && !in_same_expression(index - 1) && !in_same_expression(index + 1);
}

class ValueReader {
public:
    ValueReader(Capture const& capture, std::string_view name, std::string_view uri) noexcept
        : capture_(capture), op_(*capture.occurrence->op), name_(name), uri_(uri) {}

    UriValue read() const {
        if (!capture_.occurrence->variable.explode) return string_or_list();
        if (op_.allows_reserved()) return list_or_split_pairs();
        bool const pairs =
            std::ranges::any_of(capture_.items, [](Item const& item) { return item.has_key(); });
        return pairs ? UriValue(this->pairs()) : UriValue(list());
    }

private:
    std::string text_of(Piece piece) const { return text_of(piece.of(uri_)); }
    std::string text_of(std::string_view encoded) const {
        return op_.allows_reserved() ? decode_keeping_reserved(encoded) : decode(encoded);
    }

    UriValue string_or_list() const {
        auto const text = capture_.items.front().text.of(uri_);
        if (op_.allows_reserved() || text.find(',') == std::string_view::npos) return text_of(text);
        UriList list;
        for (auto const item : text | std::views::split(',')) {
            list.push_back(text_of(std::string_view(item.begin(), item.end())));
        }
        return list;
    }

    UriList list() const {
        UriList list;
        list.reserve(capture_.items.size());
        for (auto const& item : capture_.items) list.push_back(text_of(item.text));
        return list;
    }

    // In {?name*}, a pair may have the same name as the variable itself, as in "?name=1". Such a
    // pair was stored without a key, so the name of the variable is used as its key.
    UriPairs pairs() const {
        UriPairs pairs;
        pairs.reserve(capture_.items.size());
        for (auto const& item : capture_.items) {
            pairs.emplace_back(item.has_key() ? text_of(item.key) : text_of(name_),
                               text_of(item.text));
        }
        return pairs;
    }

    UriValue list_or_split_pairs() const {
        UriPairs pairs;
        for (auto const& item : capture_.items) {
            auto const text = item.text.of(uri_);
            auto const equals = text.find('=');
            if (equals == std::string_view::npos) return list();
            pairs.emplace_back(text_of(text.substr(0, equals)), text_of(text.substr(equals + 1)));
        }
        return pairs;
    }

    Capture const& capture_;
    Operator const& op_;
    std::string_view name_;
    std::string_view uri_;
};

// Returns how much an occurrence reveals about its variable: a long prefix reveals more than a
// short one, and the whole value reveals most.
std::size_t weight(Capture const& capture) noexcept {
    if (capture.occurrence->variable.prefix == 0) return std::numeric_limits<std::size_t>::max();
    return 1 + capture.items.front().text.size;
}

}  // namespace

std::optional<UriVariables> match(Syntax const& syntax, TemplateProgram const& program,
                                  std::string_view uri, std::size_t& steps) {
    if (uri.size() >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    auto path = find_path(program, uri, steps);
    if (!path) return std::nullopt;

    std::vector<Item> items;
    auto const captures = captures_of(program, *path, items);
    std::array<std::size_t, UriTemplate::max_variables> weights{};
    UriVariables variables;
    variables.reserve(captures.size());
    for (std::size_t i = 0; i < captures.size(); ++i) {
        auto const& capture = captures[i];
        auto const index = capture.occurrence->variable.name;
        if (is_nothing(captures, i) || weight(capture) <= weights[index]) continue;
        weights[index] = weight(capture);
        variables.set(syntax.names[index], ValueReader(capture, syntax.names[index], uri).read());
    }
    if (syntax.repeats) {
        auto const expansion = expand(syntax, variables);
        if (!expansion || !equivalent(*expansion, uri)) return std::nullopt;
    }
    return variables;
}

}  // namespace lanyard::uri_template

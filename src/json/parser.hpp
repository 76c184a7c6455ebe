// TextParser: the parser of Document. It can also prepare many JSON texts at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lanyard/json/document.hpp"

namespace simdjson::internal {
// NOLINTNEXTLINE(readability-identifier-naming): the name is that of simdjson.
class dom_parser_implementation;
}  // namespace simdjson::internal

namespace lanyard::json {

/// Parses texts one at a time and keeps its memory for the next text. Not safe for concurrent use.
class TextParser {
public:
    TextParser() noexcept;
    TextParser(TextParser&&) noexcept;
    TextParser& operator=(TextParser&&) noexcept;
    ~TextParser();

    /// Parses the text, which must outlive the returned view; the next parse invalidates the view.
    Result<View, ParseError> parse(std::string_view text, ParseOptions const& options);

    /// Finds the structure (the positions of the tokens) of several texts at once, which is cheaper
    /// than finding it text by text. The texts lie in one buffer, one per line. The buffer must
    /// stay unchanged until forget() is called. Until then, parse() is faster for these texts, as
    /// long as they are parsed in order and each is valid.
    void look_ahead(std::string_view lines);
    void forget() noexcept { ahead_ = {}; }

    /// Frees the memory that was needed to parse a large text.
    void shrink() noexcept;

private:
    bool find_structure(std::string_view text);
    bool is_ahead(std::string_view text) noexcept;
    bool build_ahead(std::string_view text, ParseOptions const& options);
    void reserve_text(std::size_t bytes);
    void reserve_nodes(std::size_t count);

    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage1_;
    std::unique_ptr<detail::Node[]> nodes_;
    std::size_t node_capacity_ = 0;
    std::string_view ahead_;  // the lines whose structure look_ahead() has found
    std::uint32_t next_ = 0;  // index of the first token after the text that was parsed last
    bool ahead_has_escapes_ = false;
};

}  // namespace lanyard::json

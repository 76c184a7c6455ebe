// A parsed JSON text as a flat index over its bytes: fully validated, no tree, no copies.
//
// simdjson finds the structure (and checks UTF-8) with SIMD. One pass over the structure checks the
// grammar and every limit, and stores one small node per value. Values are decoded on access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include <lanyard/result.hpp>

namespace lanyard {

/// A dynamic JSON value.
using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

}  // namespace lanyard

namespace lanyard::json {

enum class Kind : std::uint8_t {
    null,
    boolean,
    integer,           ///< fits std::int64_t
    unsigned_integer,  ///< too large for std::int64_t, fits std::uint64_t
    real,
    string,
    array,
    object,
};

/// Returns the name of the kind for error messages: "null", "a boolean", "an integer", ...
std::string_view describe(Kind kind) noexcept;

/// Options and limits for parsing a JSON text. If the text exceeds a limit, parsing fails, and the
/// error gives the position.
struct ParseOptions {
    std::size_t max_bytes = 16 * 1024 * 1024;
    std::uint32_t max_depth = 64;
    std::uint32_t max_nodes = 500'000;
    /// Whether an object that has the same key twice is refused, at any depth.
    bool unique_keys = true;
    /// Whether an integer that does not fit in 64 bits is read as a real number instead of being
    /// refused.
    bool big_integers = false;
};

enum class ParseErrc {
    empty,
    too_large,
    too_deep,
    too_many_nodes,
    byte_order_mark,
    bad_utf8,
    control_character,
    unclosed_string,
    bad_escape,
    bad_number,
    number_out_of_range,
    duplicate_key,
    unexpected,
};

/// Why a text is not accepted as JSON, and at which byte.
struct ParseError {
    ParseErrc code;
    std::size_t offset;
    std::string message;

    /// Returns a message such as: duplicate key "id" at byte 17
    std::string to_string() const;
};

namespace detail {

struct Node {
    std::uint32_t begin;   // offset of the value's first byte
    std::uint32_t end;     // offset of the byte after the value's last byte
    std::uint32_t extent;  // number of nodes of the value: this node and all nodes in it
    std::uint32_t info;    // (number of elements or members) << 4 | (has escapes) << 3 | kind

    /// Returns the node that follows the value in the same container.
    Node const* next() const noexcept { return this + extent; }

    Kind kind() const noexcept { return static_cast<Kind>(info & 7U); }
    bool escaped() const noexcept { return (info & 8U) != 0; }
    std::uint32_t count() const noexcept { return info >> 4; }
};

}  // namespace detail

class ElementRange;
class MemberRange;

/// One value inside a Document. A view is valid as long as the document and the parsed text exist,
/// and until the document parses another text. Cheap to copy.
class View {
public:
    View(char const* text, detail::Node const* node) noexcept : text_(text), node_(node) {}

    Kind kind() const noexcept { return node().kind(); }
    bool is_null() const noexcept { return kind() == Kind::null; }
    bool is_string() const noexcept { return kind() == Kind::string; }
    bool is_array() const noexcept { return kind() == Kind::array; }
    bool is_object() const noexcept { return kind() == Kind::object; }
    bool is_integer() const noexcept {
        return kind() == Kind::integer || kind() == Kind::unsigned_integer;
    }
    bool is_number() const noexcept { return is_integer() || kind() == Kind::real; }

    /// The bytes of the value as they are in the text. They are a valid JSON text of their own.
    std::string_view raw() const noexcept {
        return {text_ + node().begin, node().end - node().begin};
    }
    /// The offset of the value in the text.
    std::size_t offset() const noexcept { return node().begin; }

    std::optional<bool> as_bool() const noexcept;
    /// The value if it is an integer (not a real such as 1.0) and fits the type; otherwise nullopt.
    std::optional<std::int64_t> as_int64() const noexcept;
    std::optional<std::uint64_t> as_uint64() const noexcept;
    /// The value if it is a number, written with or without a fraction; otherwise nullopt.
    std::optional<double> as_double() const noexcept;

    /// The characters of a string, as a view into the text. Nullopt if the string contains escapes
    /// or the value is no string.
    std::optional<std::string_view> plain_string() const noexcept {
        if (!is_string() || node().escaped()) return std::nullopt;
        return characters();
    }
    /// The decoded characters of a string; nullopt if the value is no string.
    std::optional<std::string> as_string() const;
    /// Appends the decoded characters; the value must be a string.
    void append_string_to(std::string& out) const;
    /// Whether the value is a string with exactly these characters.
    bool equals(std::string_view expected) const noexcept {
        if (!is_string()) return false;
        if (node().escaped()) return equals_decoded(expected);
        // The size of `expected` is often a constant. Because the sizes are compared first, the
        // compiler can then replace the call of memcmp by a comparison of that size.
        return characters().size() == expected.size() &&
               std::memcmp(characters().data(), expected.data(), expected.size()) == 0;
    }

    /// The number of elements of an array or of members of an object; 0 for other kinds.
    std::size_t size() const noexcept { return node().count(); }
    /// The member with this key, compared byte by byte; nullopt if the value is no object or has no
    /// such member.
    std::optional<View> find(std::string_view key) const noexcept;
    ElementRange elements() const noexcept;
    MemberRange members() const noexcept;

    /// Returns the value as a tree of Json objects. Integers stay integers.
    Json to_json() const;

private:
    friend class ElementRange;
    friend class MemberRange;
    detail::Node const& node() const noexcept { return *node_; }
    View at(detail::Node const* node) const noexcept { return {text_, node}; }
    // The text between the quotes of a string.
    std::string_view characters() const noexcept {
        return {text_ + node().begin + 1, node().end - node().begin - 2};
    }
    bool equals_decoded(std::string_view expected) const noexcept;

    char const* text_;
    detail::Node const* node_;
};

struct Member {
    View key;  ///< always a string
    View value;
};

/// The elements of an array. The range is empty for values of other kinds.
class ElementRange {
public:
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = View;
        using difference_type = std::ptrdiff_t;
        using pointer = View const*;
        using reference = View;

        explicit iterator(View at) noexcept : at_(at) {}
        View operator*() const noexcept { return at_; }
        View const* operator->() const noexcept { return &at_; }
        iterator& operator++() noexcept {
            at_.node_ = at_.node_->next();
            return *this;
        }
        bool operator==(iterator const& other) const noexcept {
            return at_.node_ == other.at_.node_;
        }

    private:
        View at_;
    };

    iterator begin() const noexcept { return iterator(begin_); }
    iterator end() const noexcept { return iterator(end_); }

private:
    friend class View;
    ElementRange(View begin, View end) noexcept : begin_(begin), end_(end) {}

    View begin_;
    View end_;
};

/// The members of an object, in the order of the text. The range is empty for values of other
/// kinds.
class MemberRange {
public:
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Member;
        using difference_type = std::ptrdiff_t;
        using pointer = Member const*;
        using reference = Member;

        explicit iterator(View key) noexcept : key_(key) {}
        Member operator*() const noexcept { return {key_, key_.at(key_.node_ + 1)}; }
        iterator& operator++() noexcept {
            key_.node_ = key_.node_[1].next();
            return *this;
        }
        bool operator==(iterator const& other) const noexcept {
            return key_.node_ == other.key_.node_;
        }

    private:
        View key_;
    };

    iterator begin() const noexcept { return iterator(begin_); }
    iterator end() const noexcept { return iterator(end_); }

private:
    friend class View;
    MemberRange(View begin, View end) noexcept : begin_(begin), end_(end) {}

    View begin_;
    View end_;
};

inline std::optional<View> View::find(std::string_view key) const noexcept {
    if (!is_object()) return std::nullopt;
    auto const* const end = node_->next();
    for (auto const* name = node_ + 1; name != end; name = name[1].next()) {
        if (at(name).equals(key)) return at(name + 1);
    }
    return std::nullopt;
}

inline ElementRange View::elements() const noexcept {
    auto const* const first = node_ + 1;
    return {at(first), at(is_array() ? node_->next() : first)};
}

inline MemberRange View::members() const noexcept {
    auto const* const first = node_ + 1;
    return {at(first), at(is_object() ? node_->next() : first)};
}

/// Parses JSON texts, one at a time. The memory for one text is reused for the next. Not safe for
/// concurrent use.
class Document {
public:
    Document();
    Document(Document&&) noexcept;
    Document& operator=(Document&&) noexcept;
    ~Document();

    /// Parses the text, which must outlive the returned view. The next parse invalidates the view.
    Result<View, ParseError> parse(std::string_view text, ParseOptions const& options = {});

    /// Frees the memory that is kept for reuse, if an earlier text made it grow large.
    void shrink() noexcept;

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

/// Parses the text into a tree, with all the checks of Document.
Result<Json, ParseError> parse(std::string_view text, ParseOptions const& options = {});

}  // namespace lanyard::json

// URI templates (RFC 6570, all four levels): expansion, and matching of URIs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <lanyard/error.hpp>
#include <lanyard/result.hpp>

namespace lanyard {

using UriList = std::vector<std::string>;
/// An associative array; the order is kept.
using UriPairs = std::vector<std::pair<std::string, std::string>>;
/// The value of a template variable, not percent-encoded. An empty list and an empty associative
/// array count as undefined.
using UriValue = std::variant<std::string, UriList, UriPairs>;

/// The variables with which a template is expanded, or the variables that were found in a URI. A
/// variable that this object does not contain is undefined.
class UriVariables {
public:
    UriVariables& set(std::string name, UriValue value);
    /// Reserves memory for this many variables.
    void reserve(std::size_t count) { entries_.reserve(count); }

    /// The variable's value; null if it is undefined.
    UriValue const* find(std::string_view name) const noexcept;
    /// The variable's value if it is a string; null if it is undefined or has another type.
    std::string const* string(std::string_view name) const noexcept;

    bool empty() const noexcept { return entries_.empty(); }
    std::size_t size() const noexcept { return entries_.size(); }
    /// Pairs of name and value, in the order in which they were first set.
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

    bool operator==(UriVariables const&) const = default;

private:
    std::vector<std::pair<std::string, UriValue>> entries_;
};

/// A URI template (RFC 6570, all four levels), checked and compiled once: expands variables to a
/// URI, and finds the variables of a URI.
///
/// Example (docs/snippets/class_examples.cpp#uri-template):
///
///     auto const rows = lanyard::UriTemplate::parse("db://{table}/{id}{?columns*}").value();
///     auto const found = rows.match("db://users/7?columns=name&columns=mail");
///     if (found) std::cout << *found->string("table") << '\n';  // users
///
///     lanyard::UriVariables variables;
///     variables.set("table", "users").set("id", "7");
///     auto const uri = rows.expand(variables).value();  // db://users/7
///
/// Ownership: copies share the compiled template, so copying is cheap. A template keeps neither the
/// text that it was parsed from nor the URIs that it matched.
///
/// Threads: immutable; any number of threads may use the same object.
///
/// Errors: nothing throws except for lack of memory. parse() and expand() return a Result; the
/// error of parse() names the problem and the byte offset. A URI that does not match is not an
/// error.
///
/// Pitfalls:
/// - A variable is not always a string: an unencoded comma makes it a list, so string() may return
///   null for a variable that is defined. Use find() if values may contain commas.
/// - `{id}` does not match a slash; use `{+path}` for paths.
/// - Query parameters have to come in the order of the template.
/// - Values are decoded. A value that came as `%2E%2E%2F` is "../": check it before it becomes part
///   of a file name (ConfinedFolder does).
class UriTemplate {
public:
    /// The maximum number of variables, which bounds the cost of matching. A template with more is
    /// refused.
    static constexpr std::size_t max_variables = 128;

    /// Parses a template. The error names the problem and the byte offset.
    static Result<UriTemplate, DecodeError> parse(std::string_view text);

    /// The template as written.
    std::string const& text() const noexcept;
    /// The names of the variables in the order in which they first occur.
    std::vector<std::string> const& variables() const noexcept;

    /// Replaces the expressions by the variables' values. Fails only if a variable with a prefix
    /// (`{name:3}`) is a list or an associative array.
    ///
    /// The names in an associative array are percent-encoded by the same rule as the values.
    Result<std::string, DecodeError> expand(UriVariables const& variables) const;

    /// Returns the variables that the template expands to this URI; nullopt if there is no match.
    ///
    /// Expanding the template with the result gives the URI back, up to the spelling of
    /// percent-encoded characters (`%7e`, `%7E` and `~` are one character). Therefore `{id}`
    /// matches only unreserved and percent-encoded characters, so it never matches '/'. `{+path}`
    /// also matches reserved characters. Query parameters come in the order of the template, and
    /// any of them may be missing.
    ///
    /// If several assignments are possible:
    /// - A variable is undefined if nothing in the URI corresponds to it: "db:///7" leaves `table`
    ///   of "db://{table}/{id}" undefined.
    /// - Variables are filled from left to right, and each takes as many characters as it can while
    ///   the rest still matches.
    /// - Of several variables in one expression, all but the last take one item: `{x,y}` matches
    ///   "1,2,3" as x = "1", y = ["2", "3"].
    /// - Exploded variables (`{name*}`) are lists, or associative arrays if every item has the form
    ///   name=value. In `{?name*}` they are lists if all items are named "name"; an item with the
    ///   name of a later variable belongs to that variable.
    /// - Other variables are strings, or lists if there is an unencoded comma; with `+` and `#` a
    ///   comma is part of the string.
    /// - Percent-encoded characters are decoded; with `+` and `#`, reserved characters and '%' stay
    ///   encoded if decoding would change the meaning.
    /// - A variable that occurs more than once must have the same value everywhere. This is checked
    ///   last: if the rules above give the variable different values, the URI does not match, even
    ///   if another assignment would match.
    ///
    /// Takes time linear in the length of the URI.
    std::optional<UriVariables> match(std::string_view uri) const;

private:
    struct Compiled;
    explicit UriTemplate(std::shared_ptr<Compiled const> compiled) noexcept
        : compiled_(std::move(compiled)) {}

    std::shared_ptr<Compiled const> compiled_;
};

}  // namespace lanyard

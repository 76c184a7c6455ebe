// URI templates (RFC 6570, all four levels): expanding them, and matching URIs against them.
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

/// The variables a template is expanded with, or that a URI was matched to. A variable that is not
/// in here is undefined.
class UriVariables {
public:
    UriVariables& set(std::string name, UriValue value);
    /// Makes room for this many variables.
    void reserve(std::size_t count) { entries_.reserve(count); }

    /// The variable's value; null where it is undefined.
    UriValue const* find(std::string_view name) const noexcept;
    /// The variable's value where it is a string; null where it is undefined or something else.
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

/// A URI template, checked and compiled once. Cheap to copy, safe to use from several threads.
///
///     auto const rows = UriTemplate::parse("db://{table}/{id}{?columns*}").value();
///     auto const found = rows.match("db://users/7?columns=name&columns=mail");
///     *found->string("table");  // "users"
class UriTemplate {
public:
    /// More variables than this are refused: they bound what matching can cost.
    static constexpr std::size_t max_variables = 128;

    /// Reads a template. The error says what is wrong and at which byte.
    static Result<UriTemplate, DecodeError> parse(std::string_view text);

    /// The template as it was written.
    std::string const& text() const noexcept;
    /// The names of the variables in the order in which they first occur.
    std::vector<std::string> const& variables() const noexcept;

    /// Replaces the expressions by the variables' values. Fails only where a variable with a prefix
    /// (`{name:3}`) is a list or an associative array.
    ///
    /// The names in an associative array are percent-encoded by the same rule as the values.
    Result<std::string, DecodeError> expand(UriVariables const& variables) const;

    /// The variables of which this URI is the expansion; nothing where there are none.
    ///
    /// Expanding the template with the result gives the URI back, up to the spelling of
    /// percent-encoded characters (`%7e`, `%7E` and `~` are one character). So `{id}` matches
    /// unreserved and percent-encoded characters only, no '/'; `{+path}` matches reserved ones too;
    /// query parameters come in the order of the template, and any may be missing.
    ///
    /// Where several assignments are possible:
    /// - A variable is undefined where nothing in the URI stands for it: "db:///7" leaves `table`
    ///   of "db://{table}/{id}" undefined.
    /// - Variables are filled from left to right, and each takes as many characters as it can while
    ///   the rest still matches.
    /// - Of several variables in one expression, all but the last take one item: `{x,y}` matches
    ///   "1,2,3" as x = "1", y = ["2", "3"].
    /// - Exploded variables (`{name*}`) are lists, or associative arrays where every item has the
    ///   form name=value. In `{?name*}` those are lists whose items are all called "name"; an item
    ///   called like a later variable goes to that variable.
    /// - Other variables are strings, or lists where there is an unencoded comma; with `+` and `#`
    ///   a comma is part of the string.
    /// - Percent-encoded characters are decoded; with `+` and `#`, reserved characters and '%' stay
    ///   encoded where decoding would change the meaning.
    /// - A variable that occurs more than once must have the same value everywhere; the rules
    ///   above decide on the values first.
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

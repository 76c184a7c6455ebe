// The Unicode properties of \p{...} in ECMA-262 patterns (edition 2020, tables 54 to 56).
#pragma once

#include <string>
#include <string_view>

namespace lanyard::schema {

/// A set of code points in the syntax of an RE2 character class, without the brackets.
///
/// RE2 classes cannot express the difference of two sets, so for some sets only the complement can
/// be expressed. `body` or `opposite` is empty if it cannot be expressed.
struct CodePointSet {
    std::string body;
    std::string opposite;

    void negate() noexcept { body.swap(opposite); }

    /// Parses code points and ranges in ascending order, in hexadecimal: "41-5A 5F".
    static CodePointSet of_ranges(std::string_view ranges);
};

/// The property between the braces of \p{...}. Finding it is cheap; set() builds the set.
struct Property {
    enum class Status {
        known,
        unsupported,  ///< valid in ECMA-262, but RE2 has no data for it
        unknown,
    };
    Status status = Status::unknown;
    std::string_view group = {};        ///< a single group of RE2; if empty, the members below
                                        ///< apply
    std::string_view groups = {};       ///< the union of these groups in RE2's syntax
    std::string_view ranges = {};       ///< plus these ranges, as in CodePointSet::of_ranges()
    std::string_view more_ranges = {};  ///< and with these
    bool complement = false;            ///< the property is the complement of groups and ranges

    CodePointSet set() const;
};

/// Looks up "Lu", "Letter", "Script=Greek", "Alphabetic", ...
Property find_property(std::string_view expression) noexcept;

}  // namespace lanyard::schema

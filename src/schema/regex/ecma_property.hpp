// The Unicode properties of \p{...} in ECMA-262 patterns (edition 2020, tables 54 to 56).
#pragma once

#include <string>
#include <string_view>

namespace lanyard::schema {

/// A set of code points (`body`) and its complement (`opposite`), each in the syntax of an RE2
/// character class without the brackets.
///
/// RE2 classes cannot express the difference of two sets, so for some sets only the set or only its
/// complement can be expressed. The other member is then empty.
struct CodePointSet {
    std::string body;
    std::string opposite;

    void negate() noexcept { body.swap(opposite); }

    /// Parses code points and ranges in ascending order, in hexadecimal: "41-5A 5F".
    static CodePointSet of_ranges(std::string_view ranges);
};

/// The property between the braces of \p{...}. Looking a property up is cheap; only set() builds
/// the set of code points. The set is one `group` of RE2, or else the union of `groups`, `ranges`
/// and `more_ranges`. If `complement` is true, the set is the complement of that group or union.
struct Property {
    enum class Status {
        known,
        unsupported,  ///< valid in ECMA-262, but RE2 has no data for it
        unknown,
    };
    Status status = Status::unknown;
    std::string_view group = {};        ///< the name of one group of RE2, or empty
    std::string_view groups = {};       ///< several groups in RE2's syntax, such as \p{L}\p{M}
    std::string_view ranges = {};       ///< as in CodePointSet::of_ranges()
    std::string_view more_ranges = {};  ///< more ranges; used only if `groups` is not empty
    bool complement = false;            ///< whether to use the complement of the group or union

    CodePointSet set() const;
};

/// Looks up "Lu", "Letter", "Script=Greek", "Alphabetic", ...
Property find_property(std::string_view expression) noexcept;

}  // namespace lanyard::schema

// The Unicode properties of \p{...} in ECMA-262 patterns (edition 2020, tables 54 to 56).
#pragma once

#include <string>
#include <string_view>

namespace lanyard::schema {

/// A set of code points in the syntax of an RE2 character class, without the brackets.
///
/// RE2 classes know no difference of sets, so that some sets can only be said through their
/// complement: one of the two members may be empty, which means "no such text".
struct CodePointSet {
    std::string body;
    std::string opposite;

    void negate() noexcept { body.swap(opposite); }

    /// Code points and ranges in ascending order, in hexadecimal: "41-5A 5F".
    static CodePointSet of_ranges(std::string_view ranges);
};

struct Property {
    enum class Status {
        known,
        unsupported,  ///< valid in ECMA-262, but RE2 has no data for it
        unknown,
    };
    Status status = Status::unknown;
    CodePointSet set;
};

/// The property between the braces: "Lu", "Letter", "Script=Greek", "Alphabetic", ...
Property find_property(std::string_view expression);

}  // namespace lanyard::schema

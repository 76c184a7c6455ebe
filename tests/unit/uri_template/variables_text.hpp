// Template variables as text, for readable expectations in tests.
#pragma once

#include <optional>
#include <string>

#include "lanyard/uri_template.hpp"

namespace lanyard::test {

/// Returns a text such as `x="1" y=["2","3"] z={"k":"v"}`; "no match" without variables.
inline std::string text_of(std::optional<UriVariables> const& variables) {
    struct Writer {
        std::string operator()(std::string const& value) const { return '"' + value + '"'; }
        std::string operator()(UriList const& list) const {
            std::string out;
            for (auto const& item : list) out += (out.empty() ? "" : ",") + (*this)(item);
            return '[' + out + ']';
        }
        std::string operator()(UriPairs const& pairs) const {
            std::string out;
            for (auto const& [key, value] : pairs) {
                out += (out.empty() ? "" : ",") + (*this)(key) + ':' + (*this)(value);
            }
            return '{' + out + '}';
        }
    };
    if (!variables) return "no match";
    std::string out;
    for (auto const& [name, value] : *variables) {
        out += (out.empty() ? "" : " ") + name + '=' + std::visit(Writer(), value);
    }
    return out;
}

}  // namespace lanyard::test

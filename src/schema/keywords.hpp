// The keywords of one schema object. The functions check the form of each value, because the
// meta-schema of a custom dialect may not have checked it. (The standard meta-schemas have.)
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "schema/number.hpp"
#include "schema/registry.hpp"

namespace lanyard::schema {

class Keywords {
public:
    /// Collects those keywords of the schema that its dialect has. The schema must be an object.
    Keywords(Site const& site, Registry const& registry, Diagnosis& diagnosis);

    Site const& site() const noexcept { return site_; }
    Dialect const& dialect() const noexcept { return dialect_; }
    /// Returns the value of a keyword; null if the schema does not have it.
    Json const* operator[](Keyword keyword) const noexcept {
        return values_[static_cast<std::size_t>(keyword)];
    }
    bool any(std::initializer_list<Keyword> keywords) const noexcept;

    // Each of these functions returns the value of a keyword. If the value has the wrong form, the
    // function reports the error and then acts as if the keyword were absent.
    std::optional<NumericValue> number(Keyword keyword) const;
    std::optional<std::uint64_t> count(Keyword keyword) const;
    JsonArray const* array(Keyword keyword) const;
    JsonObject const* object(Keyword keyword) const;
    std::optional<std::string_view> text(Keyword keyword) const;
    bool flag(Keyword keyword) const;
    std::vector<std::string_view> names(Keyword keyword, Json const& value) const;

    /// Reports that the value of a keyword does not have the expected form.
    void wrong(Keyword keyword, std::string_view expected, Json const& value) const;
    void fail(Keyword keyword, std::string message) const;

private:
    Site site_;
    Registry const& registry_;
    Diagnosis& diagnosis_;
    Dialect const& dialect_;
    std::array<Json const*, keyword_count> values_{};
};

}  // namespace lanyard::schema

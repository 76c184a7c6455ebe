#include "schema/keywords.hpp"

#include <algorithm>

#include <boost/json/object.hpp>

#include "schema/explain.hpp"

namespace lanyard::schema {

Keywords::Keywords(Site const& site, Registry const& registry, Diagnosis& diagnosis)
    : site_(site),
      registry_(registry),
      diagnosis_(diagnosis),
      dialect_(*registry.resource(site.resource).dialect) {
    auto const& schema = site.schema->get_object();
    auto const add = [&](boost::json::key_value_pair const& member) {
        if (auto const* info = find_keyword(dialect_, member.key())) {
            values_[static_cast<std::size_t>(info->keyword)] = &member.value();
        }
    };
    if (is_pure_reference(dialect_, schema)) {
        add(*schema.find("$ref"));
    } else {
        for (auto const& member : schema) add(member);
    }
}

bool Keywords::any(std::initializer_list<Keyword> keywords) const noexcept {
    return std::any_of(keywords.begin(), keywords.end(),
                       [&](Keyword keyword) { return (*this)[keyword] != nullptr; });
}

void Keywords::fail(Keyword keyword, std::string message) const {
    diagnosis_.fail(registry_.location(site_, name_of(keyword)), std::move(message));
}

void Keywords::wrong(Keyword keyword, std::string_view expected, Json const& value) const {
    fail(keyword, "must be " + std::string(expected) + ", got " + describe(value));
}

std::optional<NumericValue> Keywords::number(Keyword keyword) const {
    auto const* value = (*this)[keyword];
    if (value == nullptr) return std::nullopt;
    if (value->is_number()) return NumericValue(*value);
    wrong(keyword, "a number", *value);
    return std::nullopt;
}

std::optional<std::uint64_t> Keywords::count(Keyword keyword) const {
    auto const* value = (*this)[keyword];
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || NumericValue(*value) < NumericValue() ||
        !NumericValue(*value).is_integral()) {
        wrong(keyword, "a non-negative integer", *value);
        return std::nullopt;
    }
    // A limit beyond 64 bits has no effect, because no string or container is that long.
    auto const whole = NumericValue(*value).normalized().to_json();
    if (whole.is_double()) return unlimited;
    return whole.is_uint64() ? whole.get_uint64() : static_cast<std::uint64_t>(whole.get_int64());
}

JsonArray const* Keywords::array(Keyword keyword) const {
    auto const* value = (*this)[keyword];
    if (value == nullptr) return nullptr;
    if (!value->is_array()) wrong(keyword, "an array", *value);
    return value->if_array();
}

JsonObject const* Keywords::object(Keyword keyword) const {
    auto const* value = (*this)[keyword];
    if (value == nullptr) return nullptr;
    if (!value->is_object()) wrong(keyword, "an object", *value);
    return value->if_object();
}

std::optional<std::string_view> Keywords::text(Keyword keyword) const {
    auto const* value = (*this)[keyword];
    if (value == nullptr) return std::nullopt;
    if (auto const* text = value->if_string()) return std::string_view(*text);
    wrong(keyword, "a string", *value);
    return std::nullopt;
}

bool Keywords::flag(Keyword keyword) const {
    auto const* value = (*this)[keyword];
    if (value == nullptr) return false;
    if (!value->is_bool()) wrong(keyword, "a boolean", *value);
    return *value == true;
}

std::vector<std::string_view> Keywords::names(Keyword keyword, Json const& value) const {
    std::vector<std::string_view> out;
    auto const* list = value.if_array();
    if (list == nullptr) {
        wrong(keyword, "an array of strings", value);
        return out;
    }
    for (auto const& name : *list) {
        if (!name.is_string()) {
            wrong(keyword, "an array of strings", name);
            return out;
        }
        out.emplace_back(name.get_string());
    }
    return out;
}

}  // namespace lanyard::schema

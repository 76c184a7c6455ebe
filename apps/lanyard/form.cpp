#include "form.hpp"

#include "lanyard/json/writer.hpp"
#include "lanyard/schema.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lanyard::app {
namespace {

std::string number_text(double number) {
    std::string text;
    json::Writer writer(text);
    if (std::trunc(number) == number && std::abs(number) < 9e15) {
        writer.integer(static_cast<std::int64_t>(number));
    } else {
        writer.real(number);
    }
    return text;
}

template <class N>
std::string bounds(std::string const& what, std::optional<N> const& low,
                   std::optional<N> const& high, std::string const& unit) {
    auto const text = [](N bound) { return number_text(static_cast<double>(bound)); };
    if (low && high) return what + text(*low) + " to " + text(*high) + unit;
    if (low) return what + "at least " + text(*low) + unit;
    if (high) return what + "at most " + text(*high) + unit;
    return {};
}

std::string choices(std::vector<EnumOption> const& options) {
    std::string text;
    for (auto const& option : options) {
        text += (text.empty() ? "" : ", ") + option.value;
        if (!option.title.empty() && option.title != option.value)
            text += " (" + option.title + ")";
    }
    return text;
}

std::optional<std::string> choice(std::vector<EnumOption> const& options, std::string_view typed) {
    for (auto const& option : options) {
        if (typed == option.value || typed == option.title) return option.value;
    }
    return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!trimmed(text).empty()) {
        auto const comma = text.find(',');
        if (auto const part = trimmed(text.substr(0, comma)); !part.empty()) parts.push_back(part);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return parts;
}

/// Checks the value against the bounds, lengths, formats and patterns of its field.
Result<Json, std::string> checked(FormField const& field, Json value) {
    JsonObject schema;
    if (auto const* text = std::get_if<StringSchema>(&field.schema)) {
        if (text->min_length) schema["minLength"] = *text->min_length;
        if (text->max_length) schema["maxLength"] = *text->max_length;
        if (text->format) schema["format"] = std::string(to_string(*text->format));
        if (!text->pattern.empty()) schema["pattern"] = text->pattern;
    } else if (auto const* number = std::get_if<NumberSchema>(&field.schema)) {
        if (number->minimum) schema["minimum"] = *number->minimum;
        if (number->maximum) schema["maximum"] = *number->maximum;
    } else if (auto const* several = std::get_if<MultiSelectEnumSchema>(&field.schema)) {
        if (several->min_items) schema["minItems"] = *several->min_items;
        if (several->max_items) schema["maxItems"] = *several->max_items;
    }
    auto const validator =
        schema::Validator::compile(Json(schema), schema::Options().assert_formats());
    if (!validator) return value;  // the pattern is not supported, so it is not checked
    if (auto const valid = validator->validate(value); !valid) {
        return Unexpected(field.name + ": " + valid.error().errors().front().message);
    }
    return value;
}

Unexpected<std::string> refused(FormField const& field, std::string_view typed) {
    return Unexpected(field.name + " must be " + wanted(field) + ", got '" + std::string(typed) +
                      "'");
}

Result<Json, std::string> number_value(FormField const& field, NumberSchema const& schema,
                                       std::string_view typed) {
    auto value = json::parse(trimmed(typed));
    if (!value || !value->is_number()) return refused(field, typed);
    if (schema.integer && value->is_double()) return refused(field, typed);
    return checked(field, *std::move(value));
}

Result<Json, std::string> boolean_value(FormField const& field, std::string_view typed) {
    auto const word = trimmed(typed);
    if (word == "true" || word == "yes" || word == "y") return Json(true);
    if (word == "false" || word == "no" || word == "n") return Json(false);
    return refused(field, typed);
}

Result<Json, std::string> several_values(FormField const& field,
                                         MultiSelectEnumSchema const& schema,
                                         std::string_view typed) {
    JsonArray values;
    for (auto const part : split(typed)) {
        auto const value = choice(schema.options, part);
        if (!value) return refused(field, part);
        values.emplace_back(*value);
    }
    return checked(field, Json(std::move(values)));
}

}  // namespace

std::string wanted(FormField const& field) {
    if (auto const* text = std::get_if<StringSchema>(&field.schema)) {
        if (text->format) return "text (" + std::string(to_string(*text->format)) + ")";
        return "text" + bounds(", ", text->min_length, text->max_length, " characters");
    }
    if (auto const* number = std::get_if<NumberSchema>(&field.schema)) {
        return (number->integer ? "a whole number" : "a number") +
               bounds(", ", number->minimum, number->maximum, "");
    }
    if (std::holds_alternative<BooleanSchema>(field.schema)) return "yes or no";
    if (auto const* one = std::get_if<SingleSelectEnumSchema>(&field.schema)) {
        return "one of: " + choices(one->options);
    }
    auto const& several = std::get<MultiSelectEnumSchema>(field.schema);
    return "any of: " + choices(several.options) +
           bounds("; ", several.min_items, several.max_items, " of them");
}

std::string explanation(FormField const& field) {
    auto const [title, description] =
        std::visit([](auto const& schema) { return std::pair(schema.title, schema.description); },
                   field.schema);
    if (title.empty() || title == field.name) return description;
    return description.empty() ? title : title + ": " + description;
}

std::string default_text(FormField const& field) {
    return std::visit(
        [](auto const& schema) -> std::string {
            if (!schema.default_value) return {};
            using Value = std::remove_cvref_t<decltype(*schema.default_value)>;
            if constexpr (std::same_as<Value, bool>) {
                return *schema.default_value ? "yes" : "no";
            } else if constexpr (std::same_as<Value, double>) {
                return number_text(*schema.default_value);
            } else if constexpr (std::same_as<Value, std::string>) {
                return *schema.default_value;
            } else {
                std::string text;
                for (auto const& each : *schema.default_value) {
                    text += (text.empty() ? "" : ",") + each;
                }
                return text;
            }
        },
        field.schema);
}

Result<Json, std::string> field_value(FormField const& field, std::string_view typed) {
    if (auto const* number = std::get_if<NumberSchema>(&field.schema)) {
        return number_value(field, *number, typed);
    }
    if (std::holds_alternative<BooleanSchema>(field.schema)) return boolean_value(field, typed);
    if (auto const* one = std::get_if<SingleSelectEnumSchema>(&field.schema)) {
        auto const value = choice(one->options, trimmed(typed));
        if (!value) return refused(field, typed);
        return Json(*value);
    }
    if (auto const* several = std::get_if<MultiSelectEnumSchema>(&field.schema)) {
        return several_values(field, *several, typed);
    }
    return checked(field, Json(typed));
}

Result<JsonObject, std::string> fill_form(FormSchema const& form,
                                          std::map<std::string, std::string> const& values) {
    JsonObject content;
    for (auto const& field : form.fields) {
        auto const given = values.find(field.name);
        auto const text = given == values.end() ? default_text(field) : given->second;
        if (given == values.end() && text.empty()) {
            if (!field.required) continue;
            return Unexpected("the form needs the field '" + field.name + "' (" + wanted(field) +
                              "): answer it with --answer " + field.name + "=...");
        }
        auto value = field_value(field, text);
        if (!value) return Unexpected(value.error());
        content[field.name] = *std::move(value);
    }
    return content;
}

}  // namespace lanyard::app

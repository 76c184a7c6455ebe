#include "client/session/form_answer.hpp"

#include <algorithm>

#include "lanyard/codec.hpp"
#include "lanyard/schema.hpp"
#include "wire/tables/elicitation.hpp"

namespace lanyard::client {

namespace {

Unexpected<Error> refuse(std::string const& why) {
    return Unexpected(Error(Errc::protocol_violation, "the answer does not fit the form: " + why));
}

std::optional<Json> default_of(PrimitiveSchemaDefinition const& field) {
    return std::visit(
        [](auto const& schema) -> std::optional<Json> {
            if (!schema.default_value) return std::nullopt;
            return to_json(*schema.default_value);
        },
        field);
}

// Returns the default of the field. The default of an integer field is written without a fraction.
std::optional<Json> default_of(FormField const& field) {
    auto value = default_of(field.schema);
    auto const* number = std::get_if<NumberSchema>(&field.schema);
    if (value && number != nullptr && number->integer) {
        *value = static_cast<std::int64_t>(*number->default_value);
    }
    return value;
}

}  // namespace

Result<void> complete_form_answer(FormSchema const& schema, ElicitResult& answer) {
    if (answer.action != ElicitAction::accept) {
        answer.content.reset();
        return {};
    }
    if (!answer.content) answer.content.emplace();
    auto& content = *answer.content;
    for (auto const& field : schema.fields) {
        if (content.contains(field.name)) continue;
        if (auto const value = default_of(field)) content[field.name] = *value;
    }
    for (auto const& member : content) {
        std::string_view const name = member.key();
        if (std::ranges::find(schema.fields, name, &FormField::name) == schema.fields.end()) {
            return refuse("it has no field \"" + std::string(name) + "\"");
        }
    }
    schema::Options options;
    options.assert_formats();
    auto const validator =
        schema::Validator::compile(to_json(schema, EncodeContext{newest_version}), options);
    if (!validator) return refuse("its schema cannot be used: " + validator.error().to_string());
    auto const valid = validator->validate(Json(content));
    if (!valid) return refuse(valid.error().to_string());
    return {};
}

}  // namespace lanyard::client

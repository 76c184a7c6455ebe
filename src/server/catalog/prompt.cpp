// The functions of bind_prompt() and describe_prompt() that are not C++ templates.
#include "lanyard/server/prompt.hpp"

namespace lanyard::detail {

namespace {

bool fits_in_a_text(reflect::Shape const& shape) {
    using Kind = reflect::Shape::Kind;
    switch (shape.kind) {
        case Kind::boolean:
        case Kind::integer:
        case Kind::number:
        case Kind::string:
        case Kind::enumeration:
            return true;
        case Kind::optional:
            return fits_in_a_text(shape.element());
        default:
            return false;
    }
}

}  // namespace

PromptMessage user_message(std::string text) {
    TextContent content;
    content.text = std::move(text);
    PromptMessage message;
    message.content = std::move(content);
    return message;
}

std::vector<PromptArgument> prompt_arguments(reflect::StructInfo const& info) {
    std::vector<PromptArgument> arguments;
    for (auto const& field : info.fields) {
        if (field.type.shape == nullptr || !fits_in_a_text(field.type.shape())) {
            throw Error(Errc::invalid_argument,
                        "\"" + std::string(field.name) + "\" of " + std::string(info.name) +
                            " cannot be an argument of a prompt: these are texts, numbers, "
                            "booleans and enumerations");
        }
        auto& argument = arguments.emplace_back();
        argument.name = field.name;
        argument.required = has(field.flags, reflect::Flag::required);
        if (field.details != reflect::Field::no_details) {
            auto const& details = info.details[field.details];
            argument.title = details.title;
            argument.description = details.doc;
        }
    }
    return arguments;
}

UriVariables as_variables(PromptArguments const& arguments) {
    UriVariables variables;
    variables.reserve(arguments.size());
    for (auto const& [name, text] : arguments) variables.set(name, text);
    return variables;
}

}  // namespace lanyard::detail

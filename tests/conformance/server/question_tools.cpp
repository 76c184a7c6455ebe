// Tools that ask the client while they run: sampling and elicitation (client/sampling,
// client/elicitation).
#include <string>
#include <utility>
#include <vector>

#include "lanyard/reflect.hpp"
#include "server/content.hpp"
#include "server/fixtures.hpp"

namespace lanyard::conformance {

struct Prompt {
    std::string prompt;
};
LANYARD_STRUCT(Prompt, (prompt, "What to ask the model"))

struct Message {
    std::string message;
};
LANYARD_STRUCT(Message, (message, "What to tell the user"))

namespace {

Task<std::string> sample(Prompt in, Context& context) {
    auto const answer = co_await context.sample("answer", to_model(in.prompt));
    co_return "LLM response: " + words_of(answer);
}

FormField field(std::string name, PrimitiveSchemaDefinition schema, bool required = false) {
    FormField made;
    made.name = std::move(name);
    made.schema = std::move(schema);
    made.required = required;
    return made;
}

/// Makes a form from its fields.
template <class... Fields>
ElicitFormParams form(std::string message, Fields... fields) {
    ElicitFormParams params;
    params.message = std::move(message);
    (params.requested_schema.fields.push_back(std::move(fields)), ...);
    return params;
}

std::string description_of(ElicitResult const& answer) {
    return "action=" + std::string(to_string(answer.action)) +
           ", content=" + json::serialize(Json(answer.content.value_or(JsonObject())));
}

StringSchema words(std::string description) {
    StringSchema schema;
    schema.description = std::move(description);
    return schema;
}

Task<std::string> elicit(Message in, Context& context) {
    auto const required = true;
    auto const asked = form(in.message, field("username", words("User's response"), required),
                            field("email", words("User's email address"), required));
    auto const answer = co_await context.elicit("details", asked);
    co_return "User response: " + description_of(answer);
}

SingleSelectEnumSchema one_of(std::vector<EnumOption> options) {
    SingleSelectEnumSchema schema;
    schema.options = std::move(options);
    return schema;
}

MultiSelectEnumSchema any_of(std::vector<EnumOption> options) {
    MultiSelectEnumSchema schema;
    schema.options = std::move(options);
    return schema;
}

/// A form with a field of every type that may have a default.
ElicitFormParams form_with_defaults() {
    auto name = words("User name");
    name.default_value = "John Doe";
    NumberSchema age;
    age.integer = true;
    age.default_value = 30;
    NumberSchema score;
    score.default_value = 95.5;
    auto status = one_of({{"active"}, {"inactive"}, {"pending"}});
    status.default_value = "active";
    BooleanSchema verified;
    verified.default_value = true;
    return form("Please review and update the form fields with defaults", field("name", name),
                field("age", age), field("score", score), field("status", status),
                field("verified", verified));
}

/// A form with choices in each of the five notations.
ElicitFormParams form_with_choices() {
    std::vector<EnumOption> const plain{{"option1"}, {"option2"}, {"option3"}};
    auto old = one_of({{"opt1", "Option One"}, {"opt2", "Option Two"}, {"opt3", "Option Three"}});
    old.enum_names = true;
    return form("Please select options from the enum fields",
                field("untitledSingle", one_of(plain)),
                field("titledSingle", one_of({{"value1", "First Option"},
                                              {"value2", "Second Option"},
                                              {"value3", "Third Option"}})),
                field("legacyEnum", old), field("untitledMulti", any_of(plain)),
                field("titledMulti", any_of({{"value1", "First Choice"},
                                             {"value2", "Second Choice"},
                                             {"value3", "Third Choice"}})));
}

Task<std::string> fill_in(ElicitFormParams asked, Context& context) {
    auto const answer = co_await context.elicit("form", asked);
    co_return "Elicitation completed: " + description_of(answer);
}

}  // namespace

void add_question_tools(Server& server) {
    server.tool("test_sampling", "Asks the client's model", sample);
    server.tool("test_elicitation", "Asks the user by a form", elicit);
    server.tool("test_elicitation_sep1034_defaults", "Asks by a form with defaults",
                [](Context& context) { return fill_in(form_with_defaults(), context); });
    server.tool("test_elicitation_sep1330_enums", "Asks by a form with choices of every kind",
                [](Context& context) { return fill_in(form_with_choices(), context); });
}

}  // namespace lanyard::conformance

// Snippets of docs/schema.md.
#include <lanyard/json.hpp>
#include <lanyard/schema.hpp>

#include <iostream>

namespace {

lanyard::Json greeting_schema() {
    return lanyard::json::parse(R"({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "times": {"type": "integer", "minimum": 1, "maximum": 5}
        },
        "required": ["name"],
        "unevaluatedProperties": false
    })")
        .value();
}

bool validates() {
    lanyard::Json const schema = greeting_schema();
    // [validate]
    auto const validator = lanyard::schema::Validator::compile(schema);
    if (!validator) {
        std::cerr << validator.error().to_string() << '\n';  // which keyword, and why
        return false;
    }

    lanyard::json::Document document;
    auto const arguments = document.parse(R"({"name":"Ada","times":9})");
    auto const verdict = validator->validate(*arguments);
    if (!verdict) std::cout << verdict.error().to_string() << '\n';
    // [/validate]
    return !verdict && verdict.error().to_string() == "/times: must be at most 5, got 9";
}

bool resolves() {
    lanyard::Json const schema = {{"$ref", "https://example.com/greeting"}};
    // [references]
    lanyard::schema::Options options;
    options.document("https://example.com/greeting", greeting_schema());
    options.assert_formats();
    options.max_steps(100'000);
    auto const validator = lanyard::schema::Validator::compile(schema, options);
    // [/references]
    return validator && validator->is_valid(lanyard::Json{{"name", "Ada"}});
}

}  // namespace

int main() {
    return validates() && resolves() ? 0 : 1;
}

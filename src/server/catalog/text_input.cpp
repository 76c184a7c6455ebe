#include "lanyard/server/text_input.hpp"

namespace lanyard::detail {

namespace {

using Kind = reflect::Shape::Kind;

reflect::Shape const& without_optional(reflect::Shape const& shape) {
    bool const wrapped = shape.kind == Kind::optional || shape.kind == Kind::pointer;
    return wrapped ? without_optional(shape.element()) : shape;
}

// Whether the text must be written without quotes, as a JSON boolean or number. Other text is
// written as a string. If the field needs a boolean or a number, decoding then refuses the string.
bool is_literal(std::string const& text, reflect::Shape const& shape) {
    if (shape.kind == Kind::boolean) return text == "true" || text == "false";
    if (shape.kind != Kind::integer && shape.kind != Kind::number) return false;
    json::Document document;
    auto const root = document.parse(text);
    return root && root->is_number() && root->raw().size() == text.size();
}

void write(json::Writer& writer, std::string const& text, reflect::Shape const& shape) {
    if (is_literal(text, shape)) {
        writer.raw(text);
    } else {
        writer.string(text);
    }
}

void write(json::Writer& writer, UriList const& list, reflect::Shape const& shape) {
    auto const& element = shape.kind == Kind::array ? without_optional(shape.element()) : shape;
    writer.begin_array();
    for (auto const& text : list) write(writer, text, element);
    writer.end_array();
}

void write(json::Writer& writer, UriPairs const& pairs, reflect::Shape const& shape) {
    auto const& element = shape.kind == Kind::map ? without_optional(shape.element()) : shape;
    writer.begin_object();
    for (auto const& [name, text] : pairs) {
        writer.key(name);
        write(writer, text, element);
    }
    writer.end_object();
}

void write(json::Writer& writer, UriValue const& value, reflect::Shape const& shape) {
    auto const* text = std::get_if<std::string>(&value);
    if (text != nullptr && shape.kind == Kind::array) {
        write(writer, UriList(1, *text), shape);
    } else {
        std::visit([&](auto const& held) { write(writer, held, shape); }, value);
    }
}

}  // namespace

std::string text_to_json(UriVariables const& variables, reflect::StructInfo const& info) {
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    for (auto const& field : info.fields) {
        auto const* value = variables.find(field.name);
        if (value == nullptr) continue;
        writer.key(field.name);
        write(writer, *value, without_optional(field.type.shape()));
    }
    writer.end_object();
    return out;
}

std::map<std::string, std::vector<std::string>> choices_of(reflect::StructInfo const& info) {
    std::map<std::string, std::vector<std::string>> choices;
    for (auto const& field : info.fields) {
        if (field.type.shape == nullptr) continue;
        auto const& shape = without_optional(field.type.shape());
        if (shape.kind != Kind::enumeration) continue;
        auto& names = choices[std::string(field.name)];
        for (auto const& enumerator : shape.enumeration()->enumerators) {
            names.emplace_back(enumerator.name);
        }
    }
    return choices;
}

std::vector<std::string> required_of(reflect::StructInfo const& info) {
    std::vector<std::string> names;
    for (auto const& field : info.fields) {
        bool const required = has(field.flags, reflect::Flag::required);
        if (required && field.access != nullptr) names.emplace_back(field.name);
    }
    return names;
}

}  // namespace lanyard::detail

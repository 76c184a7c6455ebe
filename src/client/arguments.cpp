#include "lanyard/client/arguments.hpp"

#include "json/known_text.hpp"
#include "lanyard/error.hpp"

namespace lanyard {

Arguments::Arguments(Argument const& a, Argument const& b, Argument const& c, Argument const& d,
                     Argument const& e, Argument const& f, Argument const& g, Argument const& h,
                     Argument const& i, Argument const& j, Argument const& k, Argument const& l)
    : Arguments(join({a, b, c, d, e, f, g, h, i, j, k, l})) {}

Arguments Arguments::join(std::vector<Argument> const& arguments) {
    std::string text = "{";
    for (auto const& argument : arguments) {
        if (argument.text().empty()) continue;
        if (text.size() > 1) text += ',';
        text += argument.text();
    }
    text += '}';
    return RawJson::trusted(std::move(text));
}

std::map<std::string, std::string> Arguments::as_texts() const {
    std::map<std::string, std::string> texts;
    if (object_.empty()) return texts;
    json::Document document;
    auto const object = document.parse(object_.text(), json::known_text);
    if (!object || !object->is_object()) {
        throw Error(Errc::invalid_argument, "the arguments of a prompt must be an object");
    }
    for (auto const& [key, value] : object->members()) {
        auto text = value.as_string();
        texts.emplace(*key.as_string(), text ? *std::move(text) : std::string(value.raw()));
    }
    return texts;
}

}  // namespace lanyard

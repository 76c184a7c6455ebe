// Prompts: without and with arguments, with images and resources, with completion.
#include "lanyard/base64.hpp"
#include "lanyard/reflect.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demo/demo.hpp"
#include "demo/picture.hpp"

namespace lanyard::app::demo {

enum class Language { c, cpp, python, rust };
LANYARD_ENUM(Language, c, cpp, python, rust)

struct Review {
    Language language = Language::cpp;
    std::string code;
    std::optional<std::string> focus;
};
LANYARD_STRUCT(Review, (language, "Language of the code"), (code, "What to review"),
               (focus, "What to look for"))

struct Visit {
    std::string country;
    std::string city;
};
LANYARD_STRUCT(Visit, (country, "Where to go"), (city, "A city of that country"))

namespace {

PromptMessage message(Role role, ContentBlock content) {
    PromptMessage made;
    made.role = role;
    made.content = std::move(content);
    return made;
}

TextContent text(std::string words) {
    TextContent content;
    content.text = std::move(words);
    return content;
}

std::string review(Review const& in) {
    constexpr char const* names[] = {"C", "C++", "Python", "Rust"};
    return "Review this " + std::string(names[static_cast<std::size_t>(in.language)]) + " code" +
           (in.focus ? " for " + *in.focus : "") + ":\n\n" + in.code;
}

std::vector<PromptMessage> describe_picture() {
    ImageContent image;
    image.data = base64::encode(picture_png());
    image.mime_type = "image/png";
    TextResourceContents note;
    note.uri = "demo://note";
    note.mime_type = "text/plain";
    note.text = "It was made by the demonstration server.";
    EmbeddedResource embedded;
    embedded.resource = std::move(note);
    std::vector<PromptMessage> messages;
    messages.push_back(message(Role::user, text("What do you see?")));
    messages.push_back(message(Role::user, std::move(image)));
    messages.push_back(message(Role::user, std::move(embedded)));
    messages.push_back(message(Role::assistant, text("A square with a gradient.")));
    return messages;
}

std::map<std::string, std::vector<std::string>, std::less<>> const& cities() {
    static std::map<std::string, std::vector<std::string>, std::less<>> const all{
        {"france", {"Lyon", "Marseille", "Paris"}},
        {"norway", {"Bergen", "Oslo", "Tromsø"}},
    };
    return all;
}

std::vector<std::string> beginning_with(std::vector<std::string> const& all,
                                        std::string_view typed) {
    std::vector<std::string> matching;
    for (auto const& each : all) {
        if (each.starts_with(typed)) matching.push_back(each);
    }
    return matching;
}

std::vector<std::string> complete_country(std::string_view typed) {
    std::vector<std::string> names;
    for (auto const& [name, list] : cities()) names.push_back(name);
    return beginning_with(names, typed);
}

std::vector<std::string> complete_city(std::string_view typed, CompletionContext const& decided) {
    auto const country = decided.arguments.find("country");
    if (country == decided.arguments.end()) return {};
    auto const list = cities().find(country->second);
    return list == cities().end() ? std::vector<std::string>()
                                  : beginning_with(list->second, typed);
}

}  // namespace

void add_prompts(Server& server) {
    server.prompt("tip", "A tip for the day", [] { return "Give me a tip for today."; });
    server.prompt("review", "Review some code", [](Review in) { return review(in); });
    server.prompt("describe_picture", "An image and a resource in a conversation",
                  describe_picture);
    server.prompt("visit", "Plan a visit", [](Visit in) {
        return "What should I see in " + in.city + ", " + in.country + "?";
    });
    server.complete_prompt("visit", "country", complete_country);
    server.complete_prompt("visit", "city", complete_city);
}

}  // namespace lanyard::app::demo

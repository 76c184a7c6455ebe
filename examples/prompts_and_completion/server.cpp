// Prompts from structs, and suggestions for their arguments while the user types.
#include <map>

#include <lanyard/server.hpp>

enum class Language { cpp, rust, python };
LANYARD_ENUM(Language, (cpp, "C++"), (rust, "Rust"), (python, "Python"))

struct Review {
    std::string code;
    Language language = Language::cpp;
    std::optional<std::string> focus;
};
LANYARD_STRUCT(Review, (code, "What to review"), (language, "Language of the code"),
               (focus, "What to look at first"))

// Common concerns, by language.
std::vector<std::string> worries(std::string const& language) {
    static std::map<std::string, std::vector<std::string>> const known{
        {"cpp", {"lifetimes", "overflow", "templates"}},
        {"rust", {"lifetimes", "unsafe"}},
        {"python", {"types", "threads"}},
    };
    auto const found = known.find(language);
    return found == known.end() ? std::vector<std::string>() : found->second;
}

int main() {
    lanyard::Server server{"reviewer", "1.0.0"};

    // A string becomes one message of the user; return a vector for several messages or other
    // roles.
    server.prompt("review", "Review a piece of code", [](Review in) {
        std::string text = "Please review this code:\n\n" + in.code;
        if (in.focus) text += "\n\nLook at " + *in.focus + " first.";
        return text;
    });
    // Enumerations complete automatically. This completion depends on what was chosen before.
    server.complete_prompt("review", "focus",
                           [](std::string_view typed, lanyard::CompletionContext const& decided) {
                               auto const language = decided.arguments.find("language");
                               std::vector<std::string> matching;
                               if (language == decided.arguments.end()) return matching;
                               for (auto const& worry : worries(language->second)) {
                                   if (worry.starts_with(typed)) matching.push_back(worry);
                               }
                               return matching;
                           });

    // A prompt whose arguments are built at run time.
    lanyard::Prompt haiku;
    haiku.name = "haiku";
    haiku.description = "Write a haiku";
    haiku.arguments = {lanyard::PromptArgument{"about", "", "What it is about", true}};
    server.add_prompt(haiku, [](lanyard::PromptArguments const& arguments) {
        return "Write a haiku about " + arguments.at("about") + ".";
    });
    return server.run(lanyard::stdio());
}

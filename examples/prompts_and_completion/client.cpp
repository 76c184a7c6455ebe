// Simulates an editor that fills in the arguments of a prompt.
#include <iostream>

#include "support/example.hpp"

std::string text_of(lanyard::GetPromptResult const& result) {
    return std::get<lanyard::TextContent>(result.messages.at(0).content).text;
}

void tell(int argc, char** argv) {
    auto const client = lanyard::blocking::connect(
        lanyard::child_process(example::server(argc, argv)), example::options(argc, argv));

    for (auto const& prompt : client.list_prompts()) {
        std::cout << prompt.name << ": " << prompt.description << '\n';
        for (auto const& argument : prompt.arguments) {
            std::cout << "  " << argument.name << (argument.required ? "" : " (optional)") << '\n';
        }
    }

    auto const language = client.complete_prompt("review", "language", "r");
    example::expect(language.values == std::vector<std::string>{"rust"}, "languages with r");
    auto const focus =
        client.complete_prompt("review", "focus", "l", {{"language", language.values[0]}});
    example::expect(focus.values == std::vector<std::string>{"lifetimes"}, "worries with l");

    auto const review = text_of(client.get_prompt(
        "review", {{"code", "fn main() {}"}, {"language", "rust"}, {"focus", "lifetimes"}}));
    std::cout << review << '\n';
    example::expect(review.ends_with("Look at lifetimes first."), "the focus is in the text");

    auto const haiku = text_of(client.get_prompt("haiku", {{"about", "protocols"}}));
    example::expect(haiku == "Write a haiku about protocols.", haiku);

    // Arguments are checked: one is missing, one is not among the choices.
    std::map<std::string, std::string> const bad[] = {
        {{"language", "rust"}},
        {{"code", "x"}, {"language", "latin"}},
    };
    for (auto const& arguments : bad) {
        std::string refusal;
        try {
            client.get_prompt("review", arguments);
        } catch (lanyard::Error const& error) {
            refusal = error.message();
            example::expect(error.peer_code() == -32602, "invalid params");
        }
        std::cout << "refused: " << refusal << '\n';
        example::expect(!refusal.empty(), "bad arguments are refused");
    }
}

int main(int argc, char** argv) {
    return example::run([&] { tell(argc, argv); });
}

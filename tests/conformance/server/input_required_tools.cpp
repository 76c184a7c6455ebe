// Tools that need input from the client before they can complete; the suite identifies them by the
// keys of their questions (basic/patterns/mrtr).
#include <string>
#include <utility>

#include "lanyard/reflect.hpp"
#include "server/content.hpp"
#include "server/fixtures.hpp"

namespace lanyard::conformance {

struct Name {
    std::string name;
};
LANYARD_STRUCT(Name, (name, "What you are called"))

struct Color {
    std::string color;
};
LANYARD_STRUCT(Color, (color, "Your favourite colour"))

struct Confirmation {
    bool ok = false;
};
LANYARD_STRUCT(Confirmation, (ok, "Whether to go on"))

namespace {

std::string greeting(Elicited<Name> const& answer) {
    return "Hello, " + (answer ? answer->name : "stranger") + "!";
}

Task<std::string> ask_name(Context& context) {
    auto const answer = co_await context.elicit<Name>("user_name", "What is your name?");
    co_return greeting(answer);
}

Task<std::string> ask_model(Context& context) {
    auto const answer =
        co_await context.sample("capital_question", to_model("What is the capital of France?"));
    co_return "The model says: " + words_of(answer);
}

std::string list_of(std::vector<Root> const& roots) {
    std::string list = std::to_string(roots.size()) + " roots:";
    for (auto const& root : roots) list += " " + root.uri;
    return list;
}

Task<std::string> ask_roots(Context& context) {
    auto const roots = co_await context.ask(lanyard::ask_roots("client_roots"));
    co_return list_of(roots);
}

Task<std::string> confirm(Context& context) {
    auto const answer = co_await context.elicit<Confirmation>("confirm", "Please confirm");
    // The server has verified the state of the request before it called this handler.
    co_return answer && answer->ok ? "state-ok, confirmed" : "state-ok, not confirmed";
}

Task<std::string> ask_everything(Context& context) {
    auto const [name, model, roots] =
        co_await context.ask_all(ask_form<Name>("user_name", "What is your name?"),
                                 lanyard::ask_model("greeting", to_model("Write a greeting")),
                                 lanyard::ask_roots("client_roots"));
    co_return greeting(name) + " " + words_of(model) + " " + list_of(roots);
}

Task<std::string> ask_twice(Context& context) {
    auto const name = co_await context.elicit<Name>("step1", "Step 1: What is your name?");
    auto const color =
        co_await context.elicit<Color>("step2", "Step 2: What is your favorite color?");
    co_return greeting(name) + " You like " + (color ? color->color : "no colour") + ".";
}

/// Asks only for input that the client has declared to support.
Task<std::string> ask_what_is_allowed(Context& context) {
    auto const& declared = context.client_capabilities();
    std::string told;
    if (declared.sampling) {
        auto const answer = co_await context.sample("model", to_model("Say something"));
        told += "The model says: " + words_of(answer) + ". ";
    }
    if (declared.elicitation) {
        auto const answer = co_await context.elicit<Name>("user_name", "What is your name?");
        told += greeting(answer);
    }
    co_return told.empty() ? "There is nothing to ask." : told;
}

}  // namespace

void add_input_required_tools(Server& server) {
    server.tool("test_input_required_result_elicitation", "Asks for a name", ask_name);
    server.tool("test_input_required_result_sampling", "Asks the model", ask_model);
    server.tool("test_input_required_result_list_roots", "Asks for roots", ask_roots);
    server.tool("test_input_required_result_request_state", "Asks and keeps a state", confirm);
    server.tool("test_input_required_result_multiple_inputs", "Asks three things at a time",
                ask_everything);
    server.tool("test_input_required_result_multi_round", "Asks in two rounds", ask_twice);
    server.tool("test_input_required_result_tampered_state", "Refuses a changed state", confirm);
    server.tool("test_input_required_result_capabilities", "Asks what the client can answer",
                ask_what_is_allowed);
}

}  // namespace lanyard::conformance

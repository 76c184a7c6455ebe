#include "questions.hpp"

#include <boost/asio/this_coro.hpp>

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "form.hpp"
#include "input.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

namespace asio = boost::asio;

bool can_ask() {
    return stdin_is_terminal() && stderr_is_terminal();
}

/// The questions that wait for an answer on the terminal.
std::set<Input*>& waiting_questions() {
    static std::set<Input*> waiting;
    return waiting;
}

/// The input of one question.
class AnswerInput : public Input {
public:
    explicit AnswerInput(asio::any_io_executor const& executor) : Input(executor, STDIN_FILENO) {
        waiting_questions().insert(this);
    }
    AnswerInput(AnswerInput const&) = delete;
    AnswerInput& operator=(AnswerInput const&) = delete;
    ~AnswerInput() { waiting_questions().erase(this); }
};

/// Reads a line from the terminal. Returns nullopt at the end of input, if the line is too long, or
/// if the question is abandoned. Can be cancelled.
Task<std::optional<std::string>> read_line() {
    constexpr std::size_t max_bytes = 64 * 1024;
    auto const executor = co_await asio::this_coro::executor;
    AnswerInput input(executor);
    std::string line;
    while (line.size() <= max_bytes) {
        bool const readable = co_await input.wait();
        if (!readable) break;
        auto const more = input.read();
        if (!more) continue;
        if (more->empty()) break;
        line += *more;
        if (auto const end = line.find('\n'); end != line.npos) co_return line.substr(0, end);
    }
    co_return std::nullopt;
}

Task<std::optional<std::string>> ask(std::string prompt) {
    std::cerr << without_control_characters(prompt) << std::flush;
    return read_line();
}

ElicitResult declined() {
    ElicitResult result;
    result.action = ElicitAction::decline;
    return result;
}

ElicitResult accepted(JsonObject content) {
    ElicitResult result;
    result.action = ElicitAction::accept;
    result.content = std::move(content);
    return result;
}

/// Asks for one field until the answer is valid; nullopt if the user ends the input.
Task<std::optional<std::string>> ask_field(FormField const& field) {
    auto const preset = default_text(field);
    if (auto const about = explanation(field); !about.empty()) {
        std::cerr << "  " << without_control_characters(about) << '\n';
    }
    while (true) {
        auto prompt = "  " + field.name + " (" + wanted(field) +
                      (preset.empty() ? "" : "; Enter for " + preset) +
                      (field.required || !preset.empty() ? "" : "; Enter to leave out") + "): ";
        auto typed = co_await ask(std::move(prompt));
        if (!typed) co_return std::nullopt;
        if (typed->empty() && (!preset.empty() || !field.required)) co_return std::string();
        auto const value = field_value(field, *typed);
        if (value) co_return typed;
        std::cerr << "  " << without_control_characters(value.error()) << '\n';
    }
}

/// Asks for every field on the terminal; declines if the user ends the input.
Task<ElicitResult> ask_form_on_terminal(ElicitFormParams form) {
    std::cerr << "The server asks: " << without_control_characters(form.message)
              << "\n  (Ctrl-D declines)\n";
    std::map<std::string, std::string> values;
    for (auto const& field : form.requested_schema.fields) {
        auto const typed = co_await ask_field(field);
        if (!typed) {
            std::cerr << '\n';
            co_return declined();
        }
        if (!typed->empty()) values[field.name] = *typed;
    }
    auto content = fill_form(form.requested_schema, values);
    if (!content) {
        std::cerr << "  " << without_control_characters(content.error()) << '\n';
        co_return declined();
    }
    co_return accepted(*std::move(content));
}

Task<ElicitResult> ask_page_on_terminal(ElicitUrlParams page) {
    std::cerr << "The server asks: " << without_control_characters(page.message)
              << "\n  Page: " << without_control_characters(page.url) << '\n';
    auto const typed = co_await ask("  Open it in a browser. Agree? (yes or no): ");
    ElicitResult result;
    result.action =
        typed && (*typed == "yes" || *typed == "y") ? ElicitAction::accept : ElicitAction::decline;
    co_return result;
}

CreateMessageResult model_says(std::string text) {
    TextContent content;
    content.text = std::move(text);
    CreateMessageResult result;
    result.content.emplace_back(std::move(content));
    result.model = "lanyard-user";
    result.stop_reason = stop_reason::end_turn;
    return result;
}

Task<CreateMessageResult> ask_model_on_terminal(CreateMessageParams params) {
    std::cerr << "The server asks a model:\n";
    for (auto const& message : params.messages) {
        for (auto const& block : message.content) {
            if (auto const* text = std::get_if<TextContent>(&block)) {
                std::cerr << "  " << to_string(message.role) << ": "
                          << without_control_characters(text->text) << '\n';
            }
        }
    }
    auto typed = co_await ask("  Your answer in its place (Ctrl-D declines): ");
    if (!typed) throw Refusal(RefusalReason::permission, "the user declined");
    co_return model_says(*std::move(typed));
}

std::map<std::string, std::string> typed_answers(std::vector<std::string> const& answers) {
    std::map<std::string, std::string> values;
    for (auto const& answer : answers) {
        auto const equals = answer.find('=');
        if (equals == std::string::npos || equals == 0) {
            usage_error("--answer wants name=value, got '" + answer + "'");
        }
        values[answer.substr(0, equals)] = answer.substr(equals + 1);
    }
    return values;
}

/// Returns the answer from the command line. If the answer does not fit the form, prints the
/// reason, declines, and sets `misfit`.
ElicitResult answer_form(ElicitFormParams const& form,
                         std::map<std::string, std::string> const& values, bool& misfit) {
    auto content = fill_form(form.requested_schema, values);
    if (content) return accepted(*std::move(content));
    misfit = true;
    std::cerr << "lanyard: declined the server's question \""
              << without_control_characters(form.message)
              << "\": " << without_control_characters(content.error()) << '\n';
    return declined();
}

}  // namespace

void abandon_questions() {
    for (auto* input : waiting_questions()) input->cancel();
}

std::string question_advice(std::string_view failure, TargetOptions const& options) {
    auto const names = [&](std::string_view word) {
        return failure.find(word) != std::string_view::npos;
    };
    // The text of a failed handler has a reference to the server's log.
    if (names("(reference ") && !options.verbose) {
        return "; the log of the server has the details: --verbose shows it if this program has "
               "started the server";
    }
    // Gives advice only if a capability is missing: the message of such a failure contains "client"
    // or "capabilit". Other failures may contain the words below as well, but the advice would not
    // apply to them.
    if (!names("client") && !names("Client") && !names("capabilit")) return {};
    bool const answers_forms = options.accept || !options.answers.empty() || can_ask();
    std::string const where = options.in_shell ? " (an option of 'lanyard shell')" : "";
    if (names("sampling") && !options.model_answer && !can_ask()) {
        return "; --model-answer TEXT answers in place of a model" + where;
    }
    if (names("elicitation") && !answers_forms) {
        return "; --answer NAME=VALUE or --accept answers the questions of the server" + where;
    }
    if (names("roots") && options.roots.empty()) {
        return "; --root FOLDER opens a folder to the server" + where;
    }
    return {};
}

std::vector<Root> roots_of(std::vector<std::string> const& folders) {
    std::vector<Root> roots;
    for (auto const& folder : folders) {
        std::error_code failed;
        auto const path = std::filesystem::canonical(folder, failed);
        if (failed) usage_error("there is no folder '" + folder + "' to open to the server");
        Root root;
        root.uri = "file://" + path.string();
        root.name = path.filename().string();
        roots.push_back(std::move(root));
    }
    return roots;
}

std::function<bool()> answer_questions(ClientOptions& client, TargetOptions const& options,
                                       ProgressBar& bar) {
    auto const values = typed_answers(options.answers);
    auto unused = std::make_shared<std::map<std::string, std::string>>(values);
    auto const misfit = std::make_shared<bool>(false);
    bool const preset = options.accept || !values.empty();
    // Declares only the kinds of questions that can be answered, so that the server asks no others.
    // Also, some old servers refuse clients that declare capabilities unknown to them.
    if (preset || can_ask()) {
        client.on_elicitation(
            [&bar, values, unused, misfit, preset](ElicitFormParams form) -> Task<ElicitResult> {
                bar.clear();
                for (auto const& field : form.requested_schema.fields) unused->erase(field.name);
                if (preset) co_return answer_form(form, values, *misfit);
                co_return co_await ask_form_on_terminal(std::move(form));
            });
    }
    if (options.accept || can_ask()) {
        client.on_url_elicitation([&bar, &options](ElicitUrlParams page) -> Task<ElicitResult> {
            bar.clear();
            if (!options.accept) co_return co_await ask_page_on_terminal(std::move(page));
            std::cerr << "lanyard: the server asks to open " << without_control_characters(page.url)
                      << '\n';
            ElicitResult result;
            result.action = ElicitAction::accept;
            co_return result;
        });
    }
    if (options.model_answer) {
        client.on_sampling(
            [&options](CreateMessageParams const&) { return model_says(*options.model_answer); });
    } else if (can_ask()) {
        client.on_sampling([&bar](CreateMessageParams params) -> Task<CreateMessageResult> {
            bar.clear();
            co_return co_await ask_model_on_terminal(std::move(params));
        });
    }
    return [unused, misfit] {
        for (auto const& [name, text] : *unused) {
            std::cerr << "lanyard: the server did not ask for '" << name << "'\n";
        }
        return *misfit;
    };
}

}  // namespace lanyard::app

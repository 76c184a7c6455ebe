// `lanyard shell`: many commands over one connection.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "characters.hpp"
#include "config.hpp"
#include "connection.hpp"
#include "history_file.hpp"
#include "line_editor.hpp"
#include "nearest.hpp"
#include "operations.hpp"
#include "questions.hpp"
#include "shell_completion.hpp"
#include "shell_words.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

namespace asio = boost::asio;

constexpr std::string_view usage = "lanyard shell TARGET, or lanyard shell -- COMMAND...";

/// One line of the shell: its command, arguments and options.
struct ShellLine {
    ShellCommand const* command = nullptr;
    std::vector<std::string> words;
    Invocation invocation;
    CallSettings settings;
    std::string help;  // not empty if the line asks for help on its command
};

ShellCommand const& known_command(std::string const& typed) {
    if (auto const* found = find_shell_command(typed)) return *found;
    std::vector<std::string> names;
    for (auto const& each : shell_commands()) names.emplace_back(each.name);
    usage_error("there is no command '" + typed + "'" +
                suggestion(typed, names, "'help' lists them"));
}

std::string usage_of(ShellCommand const& command) {
    std::string text(command.name);
    return command.arguments.empty() ? text : text + " " + std::string(command.arguments);
}

/// Throws Failure (usage) for unknown commands and options.
ShellLine parse_line(std::vector<std::string> words, Invocation const& base) {
    ShellLine line;
    line.command = &known_command(words.front());
    line.invocation.json = base.json;
    line.invocation.pretty = base.pretty;
    words.erase(words.begin());

    CLI::App app(std::string(line.command->summary), std::string(line.command->name));
    app.add_option("words", line.words, std::string(line.command->arguments));
    app.add_flag("--json", line.invocation.json, "Print the result as JSON");
    app.add_flag("--pretty", line.invocation.pretty, "Print the result as JSON, indented");
    if (line.command->saves) {
        app.add_option("-o,--output", line.settings.output,
                       "Save content that is not text: a file, or a folder (ends with /)");
    }
    if (line.command->words == ShellWords::tool_and_arguments) {
        app.add_flag("--no-check", line.settings.no_check,
                     "Send the call without checking the tool's name and the arguments");
    }
    try {
        std::ranges::reverse(words);  // CLI11 expects the arguments in reverse order
        app.parse(std::move(words));
    } catch (CLI::CallForHelp const&) {
        line.help = app.help();
    } catch (CLI::ParseError const& error) {
        auto const name = std::string(line.command->name);
        refuse_unknown_option(app, name, "'" + name + " --help' lists them");
        usage_error(error.what());
    }
    line.invocation.json |= line.invocation.pretty;
    return line;
}

void need_words(ShellLine const& line, std::size_t least, std::size_t most) {
    if (line.words.size() >= least && line.words.size() <= most) return;
    usage_error((line.words.size() < least ? "too few words: " : "too many words: ") +
                usage_of(*line.command));
}

void print_commands() {
    Table table({"COMMAND", "DESCRIPTION"});
    for (auto const& each : shell_commands()) {
        table.add({usage_of(each), std::string(each.summary)});
    }
    table.print(std::cout, terminal_width());
    std::cout << "Every command has --json and --help. Ctrl-C ends a command, Ctrl-D the shell.\n";
}

void print_help(std::vector<std::string> const& words, Invocation const& base) {
    if (words.empty()) {
        print_commands();
    } else {
        std::cout << parse_line({words.front(), "--help"}, base).help;
    }
}

class Shell {
public:
    Shell(TargetOptions const& options, Invocation const& invocation)
        : options_(&options),
          invocation_(&invocation),
          interactive_(stdin_is_terminal() && stdout_is_terminal()) {
        if (!interactive_) return;
        if (auto path = history_path(process_environment)) history_.emplace(*std::move(path));
    }

    ConnectionHooks hooks() {
        ConnectionHooks hooks;
        hooks.on_signal = [this](int number) { return take_signal(number); };
        hooks.print_log = [this](std::string const& line) { print_log(line); };
        hooks.on_lost = [this](std::string const& reason) { report_loss(reason); };
        if (interactive_) {
            hooks.configure = [this](ClientOptions& client) {
                client.on_list_changed([this](ListKind) { lists_changed_ = true; });
            };
        }
        return hooks;
    }

    /// Runs the lines until the end of input or `exit`. On a terminal, failures of commands do not
    /// change the exit code; otherwise the exit code is that of the last failure.
    Task<Exit> run(Client const& client) {
        auto const executor = co_await asio::this_coro::executor;
        auto const editor = make_line_editor(executor, editor_options());
        editor_ = editor.get();
        // The editor is part of this coroutine, because the event loop that the editor uses ends
        // before the shell object.
        struct Reset {
            LineEditor** editor;
            ~Reset() { *editor = nullptr; }
        } const reset{&editor_};
        if (interactive_) co_await greet(client);
        while (!ended_) {
            if (std::exchange(lists_changed_, false)) co_await load_catalog(client);
            auto const line = co_await editor_->read_line();
            if (line.end == LineEditor::End::interrupt) continue;
            if (line.end == LineEditor::End::input) break;
            remember(line.text);
            co_await run_line(client, line.text);
        }
        if (interactive_ && !ended_) std::cout << '\n';
        co_return interactive_ ? fatal_ : last_failure_;
    }

private:
    EditorOptions editor_options() {
        EditorOptions options;
        if (!interactive_) return options;
        options.prompt = "lanyard> ";
        if (history_) options.history = history_->load();
        options.complete = [this](std::string_view text) { return continuations(text, catalog_); };
        return options;
    }

    /// Returns true if the signal was handled, and false if the shell must end.
    bool take_signal(int number) {
        bool const ends = number != SIGINT || !interactive_ || cancelled_;
        if (running_) {
            cancelled_ = true;
            cancel_.emit(asio::cancellation_type::terminal);
        } else if (!ends && editor_ != nullptr) {
            editor_->interrupt();
        }
        return !ends && editor_ != nullptr;
    }

    void print_log(std::string const& line) {
        if (editor_ != nullptr) {
            editor_->print(line);
        } else {
            std::cerr << line << '\n';
        }
    }

    /// Reports that the server has ended. If a command is running, its own failure reports that.
    void report_loss(std::string const& reason) {
        if (running_ || ended_) return;
        print_log("lanyard: the connection is lost: " + without_control_characters(reason) +
                  "; the next command connects again");
    }

    void remember(std::string const& line) {
        if (!interactive_ || line.find_first_not_of(" \t") == line.npos) return;
        editor_->add_history(line);
        if (history_) history_->add(line);
    }

    Task<> greet(Client const& client) {
        co_await load_catalog(client);
        if (invocation_->json) co_return;
        auto const info = client.server_info();
        auto const text = info.name + (info.version.empty() ? "" : " " + info.version) +
                          ", protocol revision " + std::string(to_string(client.version())) +
                          "; 'help' lists the commands";
        std::cout << wrapped(without_control_characters(text), 0, terminal_width());
    }

    /// Fetches the lists of the server's features, for completion. If a list cannot be fetched, the
    /// previous one is kept.
    Task<> load_catalog(Client const& client) {
        auto const capabilities = client.server_capabilities();
        if (capabilities.tools) co_await load(client.list_tools(), catalog_.tools);
        if (capabilities.resources) {
            co_await load(client.list_resources(), catalog_.resources);
            co_await load(client.list_resource_templates(), catalog_.templates);
        }
        if (capabilities.prompts) co_await load(client.list_prompts(), catalog_.prompts);
    }

    template <class T>
    static Task<> load(Task<std::vector<T>> fetch, std::vector<T>& list) {
        auto fetched = co_await attempt(std::move(fetch));
        if (fetched) list = *std::move(fetched);
    }

    Task<> run_line(Client const& client, std::string const& text) {
        auto const json = invocation_->json;
        auto exit = Exit::ok;
        try {
            auto words = split_line(text);
            exit = co_await run_words(client, std::move(words));
        } catch (...) {
            auto const failure = cancelled_ ? Failure(Exit::interrupted, "interrupted")
                                            : request_failure(std::current_exception(), *options_);
            std::cout.flush();
            exit = report(failure, json);
        }
        // A question of the cancelled call would take the next line as its answer, so the question
        // is ended.
        if (cancelled_) abandon_questions();
        running_ = false;
        cancelled_ = false;
        if (exit != Exit::ok) last_failure_ = exit;
        std::cout.flush();
        if (!std::cout) {
            ended_ = true;  // the program reports that the output cannot be written
            last_failure_ = Exit::ok;
        }
        // If the connection has failed for good or was closed, no further command can run.
        auto const state = client.state();
        if (state == ConnectionState::failed || state == ConnectionState::closed) {
            ended_ = true;
            fatal_ = Exit::unreachable;
        }
    }

    Task<Exit> run_words(Client const& client, std::vector<std::string> words) {
        if (words.empty()) co_return Exit::ok;
        auto const line = parse_line(std::move(words), *invocation_);
        if (!line.help.empty()) {
            std::cout << line.help;
            co_return Exit::ok;
        }
        // The command runs in a coroutine of its own, so that Ctrl-C cancels only this command.
        running_ = true;
        auto running = run_command(client, line);
        auto token = asio::bind_cancellation_slot(cancel_.slot(), asio::use_awaitable);
        auto const executor = co_await asio::this_coro::executor;
        auto const exit = co_await asio::co_spawn(executor, std::move(running), std::move(token));
        co_return exit;
    }

    Task<Exit> run_command(Client const& client, ShellLine const& line) {
        constexpr auto any_number = static_cast<std::size_t>(-1);
        auto const& name = line.command->name;
        auto const& words = line.words;
        auto const& invocation = line.invocation;
        auto exit = Exit::ok;
        if (name == "exit") {
            need_words(line, 0, 0);
            ended_ = true;
            co_return exit;
        }
        if (name == "help") {
            need_words(line, 0, 1);
            print_help(words, *invocation_);
            co_return exit;
        }
        // Waits for the connection, because it may have been lost since the last command.
        co_await client.await_ready(timeout_of(*options_));
        if (name == "list") {
            check_kinds(words);
            exit = co_await list_features(client, invocation, words);
        } else if (name == "describe") {
            need_words(line, 1, 1);
            exit = co_await describe_tool(client, invocation, words.front());
        } else if (name == "info") {
            need_words(line, 0, 0);
            exit = co_await show_info(client, invocation);
        } else if (name == "call") {
            need_words(line, 1, any_number);
            auto const arguments = arguments_of(words);
            exit = co_await call_tool(client, invocation, line.settings, words.front(), arguments);
        } else if (name == "read") {
            need_words(line, 1, 1);
            exit = co_await read_resource(client, invocation, line.settings.output, words.front());
        } else if (name == "prompt") {
            need_words(line, 1, any_number);
            auto const arguments = arguments_of(words);
            exit = co_await get_prompt(client, invocation, words.front(), arguments);
        } else if (name == "complete") {
            need_words(line, 2, any_number);
            arguments_of(words);
            auto const question = CompletionQuestion::parse(words, usage_of(*line.command));
            exit = co_await complete_argument(client, invocation, question);
        } else if (name == "ping") {
            need_words(line, 0, 0);
            exit = co_await ping_server(client, invocation);
        } else if (name == "log") {
            need_words(line, 1, 1);
            co_await client.set_log_level(level_of(words.front()));
        }
        co_return exit;
    }

    /// Parses the words after the first one.
    static CommandLine arguments_of(std::vector<std::string> const& words) {
        std::vector<std::string> const rest(words.begin() + 1, words.end());
        if (std::ranges::find(rest, "-") != rest.end()) {
            usage_error("the shell cannot take arguments from stdin: write @FILE instead of -");
        }
        return CommandLine::parse(rest, std::cin);
    }

    static LoggingLevel level_of(std::string const& typed) {
        if (auto const level = parse_enum<LoggingLevel>(typed)) return *level;
        auto const& all = EnumNames<LoggingLevel>::value;
        usage_error("there is no log level '" + typed + "'" +
                    suggestion(typed, {all.begin(), all.end()}, "debug to emergency"));
    }

    TargetOptions const* options_;
    Invocation const* invocation_;
    bool interactive_;
    std::optional<HistoryFile> history_;
    LineEditor* editor_ = nullptr;
    ShellCatalog catalog_;
    asio::cancellation_signal cancel_;
    Exit last_failure_ = Exit::ok;
    Exit fatal_ = Exit::ok;
    bool running_ = false;        // a command is being run
    bool cancelled_ = false;      // Ctrl-C was typed while the command runs
    bool ended_ = false;          // no further line is read
    bool lists_changed_ = false;  // catalog_ is out of date
};

Exit run(TargetOptions const& options, Invocation const& invocation,
         std::vector<std::string> words) {
    auto const target = take_target(words, invocation, usage);
    auto connector = connector_for(target, invocation, options);
    if (!words.empty()) usage_error("'" + words.front() + "' is one word too many");
    Shell shell(options, invocation);
    return with_server(
        std::move(connector), options, [&](Client const& client) { return shell.run(client); },
        shell.hooks());
}

}  // namespace

void declare_shell(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TargetOptions>();
    options->in_shell = true;
    declare_target_options(app, *options, invocation, "[TARGET]");
    app.footer(std::string(usage) +
               ".\n"
               "Reads commands and runs them over one connection: list, describe, info, call,\n"
               "read, prompt, complete, ping, log, help and exit. If the input is not a terminal,\n"
               "there is no prompt, and the exit code is that of the last failure.\n"
               "Examples:\n"
               "  lanyard shell -- lanyard serve --demo\n"
               "  echo 'call add a=1 b=2' | lanyard shell http://127.0.0.1:8080/mcp");
    app.callback(
        [options, &invocation] { invocation.exit = run(*options, invocation, options->words); });
}

}  // namespace lanyard::app

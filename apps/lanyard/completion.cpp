// `lanyard completion`: prints the definitions with which a shell completes command lines.
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "command_description.hpp"

namespace lanyard::app {
namespace {

/// Returns the text as one word for bash and zsh.
std::string shell_word(std::string_view text) {
    std::string result = "'";
    for (char const c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::vector<std::string> names_of(std::vector<OptionDescription> const& options) {
    std::vector<std::string> names;
    for (auto const& option : options) {
        for (auto& name : option.names()) names.push_back(std::move(name));
    }
    return names;
}

std::vector<std::string> names_of(std::vector<CommandDescription> const& commands) {
    std::vector<std::string> names;
    for (auto const& command : commands) names.push_back(command.name);
    return names;
}

/// Prints the branch for a command. The shell variable `values` stays empty if the value of an
/// option is a file name.
void print_bash_command(std::ostream& out, CommandDescription const& command) {
    out << "        " << command.name << ")\n"
        << "            options=" << shell_word(join_words(names_of(command.options), " ")) << '\n'
        << "            words=" << shell_word(join_words(command.choices, " ")) << '\n'
        << "            case $previous in\n";
    for (auto const& option : command.options) {
        if (!option.takes_value) continue;
        out << "                " << join_words(option.names(), "|")
            << ") takes_value=1 values=" << shell_word(join_words(option.choices, " ")) << " ;;\n";
    }
    out << "            esac\n"
        << "            ;;\n";
}

void print_bash(std::ostream& out, ProgramDescription const& program) {
    out << R"(# Completion of lanyard for bash, printed by `lanyard completion bash`.
_lanyard() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local options= words= values= takes_value= i
    COMPREPLY=()
    # bash splits --option=value into three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    # The command line of a server follows --.
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ ${COMP_WORDS[i]} == -- ]] || continue
        if declare -F _command_offset >/dev/null; then
            _command_offset $((i + 1))
        elif ((COMP_CWORD == i + 1)); then
            mapfile -t COMPREPLY < <(compgen -c -- "$current")
        fi
        return
    done
    if ((COMP_CWORD == 1)); then
        options=)"
        << shell_word(join_words(names_of(program.options), " "))
        << "\n        words=" << shell_word(join_words(names_of(program.commands), " ")) << R"(
    else
        case ${COMP_WORDS[1]} in
)";
    for (auto const& command : program.commands) print_bash_command(out, command);
    out << R"(        esac
    fi
    if [[ -n $takes_value ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    fi
}
complete -o bashdefault -o default -F _lanyard lanyard
)";
}

/// Escapes the characters that have a special meaning in a word of zsh's _arguments or _describe.
std::string zsh_text(std::string_view text) {
    std::string result;
    for (char const c : text) {
        if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

void print_zsh_option(std::ostream& out, OptionDescription const& option) {
    std::string value;
    if (option.takes_value) {
        value = option.choices.empty() ? ":value:_files"
                                       : ":value:(" + join_words(option.choices, " ") + ")";
    }
    for (auto const& name : option.names()) {
        std::string word = option.is_repeatable ? "*" : "(" + join_words(option.names(), " ") + ")";
        word += name;
        if (option.takes_value) word += name.starts_with("--") ? "=" : "+";
        out << " \\\n                "
            << shell_word(word + "[" + zsh_text(option.text) + "]" + value);
    }
}

void print_zsh(std::ostream& out, ProgramDescription const& program) {
    out << R"(#compdef lanyard
# Completion of lanyard for zsh, printed by `lanyard completion zsh`.
_lanyard() {
    # The command line of a server follows --.
    local dashes=${words[(i)--]}
    if ((dashes < CURRENT)); then
        shift $dashes words
        ((CURRENT -= dashes))
        _normal
        return
    fi
    if ((CURRENT == 2)); then
        local -a commands=()";
    for (auto const& command : program.commands) {
        out << "\n            " << shell_word(command.name + ":" + zsh_text(command.summary));
    }
    out << R"(
        )
        _describe command commands
        _arguments :)";
    for (auto const& option : program.options) print_zsh_option(out, option);
    out << R"(
        return
    fi
    shift words
    ((CURRENT -= 1))
    case $words[1] in
)";
    for (auto const& command : program.commands) {
        out << "        " << command.name << ")\n            _arguments -s :";
        for (auto const& option : command.options) print_zsh_option(out, option);
        auto const word =
            command.choices.empty() ? "_files" : "(" + join_words(command.choices, " ") + ")";
        if (!command.arguments.empty())
            out << " \\\n                " << shell_word("*:word:" + word);
        out << "\n            ;;\n";
    }
    out << R"(    esac
}
_lanyard "$@"
)";
}

/// Returns the text as one word for fish.
std::string fish_word(std::string_view text) {
    std::string result = "'";
    for (char const c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + "'";
}

void print_fish_options(std::ostream& out, std::string const& condition,
                        std::vector<OptionDescription> const& options) {
    for (auto const& option : options) {
        out << "complete -c lanyard -n " << condition;
        for (auto const& name : option.short_names) out << " -s " << name;
        for (auto const& name : option.long_names) out << " -l " << name;
        if (option.takes_value && option.choices.empty()) out << " -r -F";
        if (!option.choices.empty()) {
            out << " -x -a " << fish_word(join_words(option.choices, " "));
        }
        out << " -d " << fish_word(option.text) << '\n';
    }
}

void print_fish(std::ostream& out, ProgramDescription const& program) {
    out << R"(# Completion of lanyard for fish, printed by `lanyard completion fish`.

# Whether the cursor is in the arguments of this command, and not in the command line of a server, which
# follows --. Without an argument: whether the command is still to be typed.
function __lanyard_command
    set -l words (commandline -opc)
    contains -- -- $words[2..-1]; and return 1
    if test (count $argv) -eq 0
        test (count $words) -eq 1
    else
        test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
    end
end

)";
    for (auto const& command : program.commands) {
        out << "complete -c lanyard -n __lanyard_command -f -a " << command.name << " -d "
            << fish_word(command.summary) << '\n';
    }
    print_fish_options(out, "__lanyard_command", program.options);
    for (auto const& command : program.commands) {
        auto const condition = fish_word("__lanyard_command " + command.name);
        out << '\n';
        if (!command.choices.empty()) {
            out << "complete -c lanyard -n " << condition << " -f -a "
                << fish_word(join_words(command.choices, " ")) << '\n';
        }
        print_fish_options(out, condition, command.options);
    }
}

}  // namespace

void declare_completion(CLI::App& app, Invocation&) {
    auto shell = std::make_shared<std::string>();
    app.add_option("shell", *shell, "The shell: bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    app.footer(
        "Examples:\n"
        "  source <(lanyard completion bash)\n"
        "  lanyard completion zsh > ~/.zsh/completions/_lanyard\n"
        "  lanyard completion fish > ~/.config/fish/completions/lanyard.fish");
    app.callback([&app, shell] {
        auto const program = describe_program(*app.get_parent());
        if (*shell == "bash") print_bash(std::cout, program);
        if (*shell == "zsh") print_zsh(std::cout, program);
        if (*shell == "fish") print_fish(std::cout, program);
    });
}

}  // namespace lanyard::app

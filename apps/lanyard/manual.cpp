#include "manual.hpp"

#include "lanyard/version.hpp"

#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "failure.hpp"

namespace lanyard::app {
namespace {

/// Escapes the characters that troff would interpret or replace by typographic ones.
std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : text) {
        switch (c) {
            case '\\':
                result += "\\e";
                break;
            case '-':
                result += "\\-";
                break;
            case '\'':
                result += "\\(aq";
                break;
            case '`':
                result += "\\(ga";
                break;
            case '^':
                result += "\\(ha";
                break;
            case '~':
                result += "\\(ti";
                break;
            default:
                result += c;
        }
    }
    return result;
}

/// Returns a line of text for troff. A period at the beginning is escaped, because troff would take
/// the line as a request.
std::string text_line(std::string_view text) {
    return (text.starts_with('.') ? "\\&" : "") + escaped(text) + "\n";
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + escaped(text) + "\\fR";
}

std::string upper(std::string text) {
    for (auto& c : text) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

void begin_page(std::ostream& out, std::string const& name, std::string const& summary) {
    out << ".\\\" Written by `lanyard help --man-pages`.\n"
        << ".TH " << escaped(upper(name)) << " 1 \"\" \"lanyard " << LANYARD_VERSION_STRING
        << "\" \"Lanyard\"\n"
        << ".ad l\n.nh\n"
        << ".SH NAME\n"
        << escaped(name) << " \\- " << escaped(summary) << '\n';
}

void print_options(std::ostream& out, std::vector<OptionDescription> const& options) {
    out << ".SH OPTIONS\n";
    for (auto const& option : options) {
        std::string names;
        for (auto const& name : option.names()) names += (names.empty() ? "" : ", ") + bold(name);
        out << ".TP\n" << names << (option.takes_value ? " " + italic("VALUE") : "") << '\n';
        auto text = option.text + ".";
        if (!option.choices.empty()) text += " One of: " + join_words(option.choices, ", ") + ".";
        if (!option.default_value.empty()) text += " Default: " + option.default_value + ".";
        if (!option.needs.empty()) text += " Needs " + join_words(option.needs, ", ") + ".";
        if (!option.excludes.empty())
            text += " Not with " + join_words(option.excludes, ", ") + ".";
        out << text_line(text);
    }
}

/// Prints the footer of a command: text, and indented lines with examples. The examples keep their
/// line breaks.
void print_footer(std::ostream& out, std::string const& footer) {
    std::istringstream lines(footer);
    bool literal = false;
    for (std::string line; std::getline(lines, line);) {
        bool const indented = line.starts_with("  ");
        if (indented != literal) out << (indented ? ".nf\n.RS\n" : ".RE\n.fi\n.PP\n");
        literal = indented;
        if (line == "Examples:") {
            out << ".SH EXAMPLES\n";
        } else {
            out << text_line(indented ? std::string_view(line).substr(2) : line);
        }
    }
    if (literal) out << ".RE\n.fi\n";
}

void print_program(std::ostream& out, ProgramDescription const& program) {
    begin_page(out, "lanyard", program.summary);
    out << ".SH SYNOPSIS\n"
        << bold("lanyard") << ' ' << italic("COMMAND") << " [" << italic("OPTION") << "...] ["
        << italic("ARGUMENT") << "...]\n"
        << ".SH COMMANDS\n"
        << "Each command has a manual page of its own.\n";
    for (auto const& command : program.commands) {
        out << ".TP\n"
            << bold("lanyard-" + command.name) << "(1)\n"
            << text_line(command.summary + ".");
    }
    print_options(out, program.options);
    out << ".SH EXIT STATUS\n";
    print_footer(out, program.footer);
}

void print_command(std::ostream& out, CommandDescription const& command) {
    begin_page(out, "lanyard-" + command.name, command.summary);
    out << ".SH SYNOPSIS\n"
        << bold("lanyard " + command.name) << " [" << italic("OPTION") << "...]";
    if (!command.arguments.empty()) out << ' ' << escaped(command.arguments);
    if (command.takes_program) out << " [" << bold("--") << ' ' << italic("COMMAND") << "...]";
    out << "\n.SH DESCRIPTION\n" << text_line(command.summary + ".");
    if (!command.choices.empty()) {
        out << ".PP\n"
            << text_line("The argument is one of: " + join_words(command.choices, ", ") + ".");
    }
    if (command.footer.starts_with("Examples:")) {
        print_footer(out, command.footer);
    } else if (!command.footer.empty()) {
        out << ".PP\n";
        print_footer(out, command.footer);
    }
    print_options(out, command.options);
    out << ".SH EXIT STATUS\nThe exit status is described in " << bold("lanyard") << "(1).\n"
        << ".SH SEE ALSO\n"
        << bold("lanyard") << "(1)\n";
}

void write(std::filesystem::path const& file, std::string const& text) {
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) usage_error("cannot write " + file.string());
}

}  // namespace

void write_manual(ProgramDescription const& program, std::filesystem::path const& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) usage_error("cannot create " + folder.string() + ": " + failed.message());
    std::ostringstream page;
    print_program(page, program);
    write(folder / "lanyard.1", page.str());
    for (auto const& command : program.commands) {
        std::ostringstream command_page;
        print_command(command_page, command);
        write(folder / ("lanyard-" + command.name + ".1"), command_page.str());
    }
}

}  // namespace lanyard::app

#include "line_editor.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

#ifdef LANYARD_LIBEDIT
#include <histedit.h>
#endif

#include "characters.hpp"
#include "input.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace lanyard::app {
namespace {

/// Reads lines as they are. Prints the prompt if there is one.
class PlainEditor final : public LineEditor {
public:
    PlainEditor(boost::asio::any_io_executor const& executor, std::string prompt)
        : input_(executor, STDIN_FILENO), prompt_(std::move(prompt)) {}

    Task<Line> read_line() override {
        std::cout << prompt_ << std::flush;
        waiting_ = true;
        auto line = co_await next_line();
        waiting_ = false;
        co_return line;
    }

    void interrupt() override { input_.cancel(); }

    void print(std::string const& text) override {
        std::cerr << (waiting_ && !prompt_.empty() ? "\n" : "") << text << std::endl;
        if (waiting_) std::cout << prompt_ << std::flush;
    }

    void add_history(std::string const&) override {}

private:
    Task<Line> next_line() {
        while (true) {
            auto const end = buffer_.find('\n', searched_);
            if (end != std::string::npos) {
                Line line{End::line, buffer_.substr(0, end)};
                buffer_.erase(0, end + 1);
                searched_ = 0;
                co_return line;
            }
            searched_ = buffer_.size();
            bool const readable = co_await input_.wait();
            if (!readable) {
                std::cout << '\n';
                buffer_.clear();
                searched_ = 0;
                co_return Line{End::interrupt, {}};
            }
            auto const more = input_.read();
            if (more && more->empty()) {
                searched_ = 0;
                Line rest{buffer_.empty() ? End::input : End::line, std::exchange(buffer_, {})};
                co_return rest;
            }
            if (more) buffer_ += *more;
        }
    }

    Input input_;
    std::string prompt_;
    std::string buffer_;
    std::size_t searched_ = 0;  // how far buffer_ has been searched for a line break
    bool waiting_ = false;
};

#ifdef LANYARD_LIBEDIT

std::string common_prefix(std::vector<std::string> const& words) {
    auto prefix = words.front();
    for (auto const& word : words) {
        auto const differs = std::ranges::mismatch(prefix, word).in1;
        prefix.erase(differs, prefix.end());
    }
    // Removes an incomplete character at the end, so that only whole characters are inserted.
    while (!is_utf8(prefix)) prefix.pop_back();
    return prefix;
}

/// Prints the candidates in columns that fit the terminal.
void print_candidates(std::vector<std::string> const& words) {
    std::size_t widest = 0;
    for (auto const& word : words) widest = std::max(widest, columns(first_line(word)));
    auto const width = std::max<std::size_t>(terminal_width(), 1);
    auto const in_a_row = std::max<std::size_t>(1, (width + 2) / (widest + 2));
    std::string text = "\n";
    for (std::size_t i = 0; i < words.size(); ++i) {
        auto const word = cut(first_line(words[i]), width);
        text += word;
        bool const last = i + 1 == words.size() || (i + 1) % in_a_row == 0;
        text += last ? "\n" : std::string(widest - columns(word) + 2, ' ');
    }
    std::cout << text << std::flush;
}

/// The editor of libedit. Its unbuffered mode returns after each key, so that the event loop runs
/// while the user types.
class LibeditEditor final : public LineEditor {
public:
    LibeditEditor(boost::asio::any_io_executor const& executor, EditorOptions options)
        : input_(executor, STDIN_FILENO), options_(std::move(options)) {
        // libedit converts the input to wide characters with the locale of the user.
        std::setlocale(LC_CTYPE, "");
        if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
        history_ = history_init();
        HistEvent event{};
        history(history_, &event, H_SETSIZE, static_cast<int>(kept_lines));
        history(history_, &event, H_SETUNIQUE, 1);
        for (auto const& line : options_.history) add_history(line);
        editor_ = el_init("lanyard", stdin, stdout, stderr);
        el_set(editor_, EL_CLIENTDATA, this);
        el_set(editor_, EL_PROMPT, &prompt_of);
        el_set(editor_, EL_EDITOR, "emacs");
        el_set(editor_, EL_SIGNAL, 0);
        el_set(editor_, EL_HIST, history, history_);
        el_set(editor_, EL_ADDFN, "lanyard-complete", "Complete the word", &complete_word);
        el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_source(editor_, nullptr);  // the user's own key bindings in ~/.editrc
        el_set(editor_, EL_BIND, "^I", "lanyard-complete", nullptr);
    }
    LibeditEditor(LibeditEditor const&) = delete;
    LibeditEditor& operator=(LibeditEditor const&) = delete;
    ~LibeditEditor() override {
        el_end(editor_);
        history_end(history_);
    }

    Task<Line> read_line() override {
        std::cout.flush();
        Active const active(*this);
        Line line;
        while (!take_key(line)) {
            bool const readable = co_await input_.wait();
            if (!readable) {
                std::cout << "^C\n" << std::flush;
                co_return Line{End::interrupt, {}};
            }
            typed_ = true;
        }
        co_return line;
    }

    void interrupt() override { input_.cancel(); }

    void print(std::string const& text) override {
        if (active_) std::cout << "\r\x1B[K" << std::flush;
        std::cerr << text << std::endl;
        if (active_) el_set(editor_, EL_REFRESH);
    }

    void add_history(std::string const& line) override {
        HistEvent event{};
        history(history_, &event, H_ENTER, line.c_str());
    }

private:
    static constexpr std::size_t kept_lines = 1000;

    /// The terminal is in the mode of the editor only while a line is read.
    struct Active {
        explicit Active(LibeditEditor& owner) : editor(&owner) {
            editor->active_ = true;
            editor->typed_ = false;
            el_set(editor->editor_, EL_UNBUFFERED, 1);
        }
        Active(Active const&) = delete;
        Active& operator=(Active const&) = delete;
        ~Active() {
            el_set(editor->editor_, EL_UNBUFFERED, 0);
            editor->active_ = false;
        }
        LibeditEditor* editor;
    };

    /// Processes the key that can be read, if any. Returns true at the end of the line.
    bool take_key(Line& line) {
        if (!std::exchange(typed_, false)) return false;
        int waiting = 0;
        // A closed terminal counts as readable, but there is no byte to read.
        if (ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0) {
            line.end = End::input;
            return true;
        }
        int count = 0;
        char const* const text = el_gets(editor_, &count);
        if (text == nullptr || count <= 0) return false;
        auto const typed = std::string_view(text, static_cast<std::size_t>(count));
        constexpr char end_of_input = 4;  // Ctrl-D
        if (typed.size() == 1 && typed.front() == end_of_input) {
            line.end = End::input;
            return true;
        }
        if (typed.back() != '\n' && typed.back() != '\r') return false;
        line.text = typed.substr(0, typed.size() - 1);
        return true;
    }

    static LibeditEditor& owner(EditLine* editor) {
        void* data = nullptr;
        el_get(editor, EL_CLIENTDATA, &data);
        return *static_cast<LibeditEditor*>(data);
    }

    static char* prompt_of(EditLine* editor) { return owner(editor).options_.prompt.data(); }

    static unsigned char complete_word(EditLine* editor, int) { return owner(editor).complete(); }

    unsigned char complete() {
        if (!options_.complete) return CC_ERROR;
        auto const* const info = el_line(editor_);
        std::string const before(info->buffer, info->cursor);
        auto const [start, words] = options_.complete(before);
        if (words.empty()) return CC_ERROR;
        auto text = common_prefix(words);
        bool const is_only = words.size() == 1;
        // A space ends the word, unless the word continues with a value.
        if (is_only && !text.ends_with('=')) text += ' ';
        auto const typed = std::string_view(before).substr(start);
        if (text == typed || (!is_only && text.size() <= typed.size())) {
            print_candidates(words);
            return CC_REDISPLAY;
        }
        if (!text.starts_with(typed)) return CC_ERROR;
        if (el_insertstr(editor_, text.c_str() + typed.size()) != 0) return CC_ERROR;
        return CC_REFRESH;
    }

    Input input_;
    EditorOptions options_;
    History* history_ = nullptr;
    EditLine* editor_ = nullptr;
    bool active_ = false;
    bool typed_ = false;  // there is something to read
};

bool suits_libedit() {
    auto const* const terminal = std::getenv("TERM");
    return stdin_is_terminal() && stdout_is_terminal() && terminal != nullptr &&
           *terminal != '\0' && std::string_view(terminal) != "dumb";
}

#endif

}  // namespace

bool has_line_editing() noexcept {
#ifdef LANYARD_LIBEDIT
    return true;
#else
    return false;
#endif
}

std::unique_ptr<LineEditor> make_line_editor(boost::asio::any_io_executor const& executor,
                                             EditorOptions options) {
#ifdef LANYARD_LIBEDIT
    if (!options.prompt.empty() && suits_libedit()) {
        return std::make_unique<LibeditEditor>(executor, std::move(options));
    }
#endif
    return std::make_unique<PlainEditor>(executor, std::move(options.prompt));
}

}  // namespace lanyard::app

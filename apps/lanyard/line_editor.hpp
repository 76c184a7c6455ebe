// LineEditor: reads the lines of `lanyard shell`.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/task.hpp"

namespace lanyard::app {

/// How the end of a line may continue.
struct Continuations {
    std::size_t start = 0;           ///< the position of the word that the candidates replace
    std::vector<std::string> words;  ///< the candidates
};

struct EditorOptions {
    std::string prompt;  ///< empty for no prompt
    std::vector<std::string> history;
    /// Returns the candidates for the end of this text. Default: none.
    std::function<Continuations(std::string_view)> complete;
};

/// Reads lines from stdin. With libedit on a terminal, lines can be edited, completed and taken
/// from the history. All functions must be called on one executor.
class LineEditor {
public:
    enum class End { line, input, interrupt };
    struct Line {
        End end = End::line;  ///< why reading has ended: a line, the end of input, or interrupt()
        std::string text;
    };

    virtual ~LineEditor() = default;
    /// Reads the next line, without its line break. Supports Asio cancellation of type `total`.
    virtual Task<Line> read_line() = 0;
    /// Ends read_line(): the typed text is discarded.
    virtual void interrupt() = 0;
    /// Prints a line, above the prompt if read_line() is waiting.
    virtual void print(std::string const& text) = 0;
    virtual void add_history(std::string const& line) = 0;
};

/// Whether the program was built with libedit.
bool has_line_editing() noexcept;

/// Returns the editor of libedit if there is a prompt and if stdin and stdout are a terminal that
/// libedit can use. Otherwise returns an editor that reads plain lines.
std::unique_ptr<LineEditor> make_line_editor(boost::asio::any_io_executor const& executor,
                                             EditorOptions options);

}  // namespace lanyard::app

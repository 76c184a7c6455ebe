// Handles the server's questions while a command runs: answers them from the command line or on the
// terminal, or declines.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lanyard/client/options.hpp"
#include "progress_bar.hpp"
#include "target.hpp"

namespace lanyard::app {

/// Sets the handlers for the server's questions: forms, web pages and requests to the model. The
/// progress bar is cleared before a question is asked. The bar and the options must outlive the
/// client.
///
/// Returns a function that prints the answers that were given on the command line, but for which
/// the server never asked.
std::function<void()> answer_questions(ClientOptions& client, TargetOptions const& options,
                                       ProgressBar& bar);

/// Ends the questions that wait for an answer on the terminal, as if the user had declined.
void abandon_questions();

/// Returns advice for a request that failed because the client did not declare a kind of question,
/// such as sampling. The advice names the command-line option that answers such questions. Empty
/// for all other failures.
std::string question_advice(std::string_view failure, TargetOptions const& options);

/// Returns the folders of --root. Throws Failure (usage) if a folder does not exist.
std::vector<Root> roots_of(std::vector<std::string> const& folders);

}  // namespace lanyard::app

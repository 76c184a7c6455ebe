// Handles the server's questions (elicitation and sampling) while a command runs. An answer comes
// either from the command line or from the user at the terminal; otherwise the question is
// declined.
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
/// Returns a function for the end of the command. It prints which of the answers on the command
/// line the server did not ask for, and returns whether an answer did not fit the server's
/// question.
std::function<bool()> answer_questions(ClientOptions& client, TargetOptions const& options,
                                       ProgressBar& bar);

/// Ends all questions that wait for an answer on the terminal. They count as declined.
void abandon_questions();

/// Returns advice for a request that failed because the client did not declare the capability for a
/// kind of question, such as sampling, or whose details are in the server's log. The advice names
/// the command-line option that helps. Empty for all other failures.
std::string question_advice(std::string_view failure, TargetOptions const& options);

/// Returns the folders of --root. Throws Failure (usage) if a folder does not exist.
std::vector<Root> roots_of(std::vector<std::string> const& folders);

}  // namespace lanyard::app

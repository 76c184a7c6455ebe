// What the server asks while a command runs: answered from the command line, on the terminal, or
// declined.
#pragma once

#include <functional>

#include <lanyard/client/options.hpp>

#include "progress_bar.hpp"
#include "target.hpp"

namespace lanyard::app {

/// Sets the handlers for forms, web pages and the model. The bar is cleared before anything
/// is asked; it and the options must outlive the client.
///
/// Returns a function that says which of the answers were never asked for.
std::function<void()> answer_questions(ClientOptions& client, TargetOptions const& options,
                                       ProgressBar& bar);

/// The folders of --root. Throws Failure (usage) if one does not exist.
std::vector<Root> roots_of(std::vector<std::string> const& folders);

}  // namespace lanyard::app

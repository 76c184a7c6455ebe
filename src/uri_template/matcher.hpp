// Finds a path of a URI through the automaton of a template, and reads the variables from this
// path.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "lanyard/uri_template.hpp"
#include "uri_template/program.hpp"
#include "uri_template/syntax.hpp"

namespace lanyard::uri_template {

/// Returns the variables with which the template expands to the URI, or nullopt if the URI does not
/// match. `steps` receives the number of nodes entered and characters examined, to which the time
/// is proportional.
std::optional<UriVariables> match(Syntax const& syntax, TemplateProgram const& program,
                                  std::string_view uri, std::size_t& steps);

}  // namespace lanyard::uri_template

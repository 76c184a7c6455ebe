// Expansion of URI templates (RFC 6570 section 3).
#pragma once

#include <string>

#include "lanyard/uri_template.hpp"
#include "uri_template/syntax.hpp"

namespace lanyard::uri_template {

Result<std::string, DecodeError> expand(Syntax const& syntax, UriVariables const& variables);

}  // namespace lanyard::uri_template

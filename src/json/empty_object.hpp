// An empty JSON object.
#pragma once

#include "lanyard/json/document.hpp"

namespace lanyard::json {

/// Returns a view of {}, for use in place of an absent object.
View empty_object();

}  // namespace lanyard::json

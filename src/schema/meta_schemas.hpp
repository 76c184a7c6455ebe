// The built-in meta-schemas of 2020-12 and draft-07.
#pragma once

#include <string_view>

#include "lanyard/json/document.hpp"

namespace lanyard::schema {

/// Returns the meta-schema, or the part of one, that has this URI (without a fragment). Returns
/// null if there is none.
Json const* find_meta_schema(std::string_view uri);

}  // namespace lanyard::schema

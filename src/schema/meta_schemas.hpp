// The built-in meta-schemas of 2020-12 and draft-07.
#pragma once

#include <string_view>

#include <lanyard/json/document.hpp>

namespace lanyard::schema {

/// Returns the meta-schema (or the part of one) with this URI, written without a fragment; null if
/// there is none.
Json const* find_meta_schema(std::string_view uri);

}  // namespace lanyard::schema

// The meta-schemas of 2020-12 and draft-07, built in.
#pragma once

#include <string_view>

#include <lanyard/json/document.hpp>

namespace lanyard::schema {

/// The meta-schema (or the part of one) with this URI, written without a fragment; null for others.
Json const* find_meta_schema(std::string_view uri);

}  // namespace lanyard::schema

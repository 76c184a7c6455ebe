// JSON: the dynamic value (Json), the strict reader (json::Document), the writer (json::Writer) and
// raw payloads (RawJson).
#pragma once

#include <lanyard/json/document.hpp>
#include <lanyard/json/raw_json.hpp>
#include <lanyard/json/writer.hpp>

// Forms that a server asks the user to fill in. Describes fields, and converts typed text to
// values.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lanyard/json/document.hpp"
#include "lanyard/protocol/elicitation.hpp"
#include "lanyard/result.hpp"

namespace lanyard::app {

/// Describes the allowed values: "text, 3 to 10 characters", "a whole number, 1 to 8", "one of:
/// red, green".
std::string wanted(FormField const& field);

/// Returns the title and the description of the field: "Delete: removes the table for good". Empty
/// if the field has neither.
std::string explanation(FormField const& field);

/// Returns the default as a user would type it; empty if the field has no default.
std::string default_text(FormField const& field);

/// Converts typed text to the field's value, or returns a sentence about the problem. Several
/// choices are separated by commas; a choice may be given by its title.
Result<Json, std::string> field_value(FormField const& field, std::string_view typed);

/// Fills in the form with the given values, and with defaults for other fields; ignores values that
/// the form does not ask for. If a value does not fit or a required one is missing, the error names
/// the field.
Result<JsonObject, std::string> fill_form(FormSchema const& form,
                                          std::map<std::string, std::string> const& values);

}  // namespace lanyard::app

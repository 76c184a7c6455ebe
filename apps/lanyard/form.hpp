// Forms a server asks the user to fill: what a field wants, and typed text as its value.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <lanyard/json/document.hpp>
#include <lanyard/protocol/elicitation.hpp>
#include <lanyard/result.hpp>

namespace lanyard::app {

/// "text, 3 to 10 characters", "a whole number from 1 to 8", "one of: red, green".
std::string wanted(FormField const& field);

/// The default, as a user would type it; empty where there is none.
std::string default_text(FormField const& field);

/// What was typed as the field's value, or a sentence about what is wrong with it. Several choices
/// are separated by commas; a choice may be given by its title.
Result<Json, std::string> field_value(FormField const& field, std::string_view typed);

/// The answer that holds those of the values that the form asks for, with defaults for the rest.
/// Refuses what does not fit and what is missing, naming the field.
Result<JsonObject, std::string> fill_form(FormSchema const& form,
                                          std::map<std::string, std::string> const& values);

}  // namespace lanyard::app

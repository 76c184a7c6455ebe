// Converts text to structs: the arguments of a prompt and the variables of a URI template become
// the input of a typed handler.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <lanyard/codec.hpp>
#include <lanyard/uri_template.hpp>

namespace lanyard::detail {

/// Returns the variables as a JSON object from which the described struct can be decoded: the text
/// "7" becomes the number 7 if the struct's member is a number. Variables that the struct does not
/// have are left out.
std::string text_to_json(UriVariables const& variables, reflect::StructInfo const& info);

/// Returns the allowed values of each member that is an enumeration.
std::map<std::string, std::vector<std::string>> choices_of(reflect::StructInfo const& info);

/// Returns the names of the required members.
std::vector<std::string> required_of(reflect::StructInfo const& info);

template <class In>
Result<In, DecodeError> decode_texts(UriVariables const& variables) {
    return decode_text<In>(text_to_json(variables, *reflect::struct_info<In>()));
}

}  // namespace lanyard::detail

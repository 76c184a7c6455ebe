// Wire tables of error data.
#pragma once

#include "lanyard/protocol/error_data.hpp"
#include "wire/tables/capabilities.hpp"
#include "wire/tables/elicitation.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<UnsupportedProtocolVersion> =
    describe<UnsupportedProtocolVersion>(
        "data", field<&UnsupportedProtocolVersion::supported>("supported"),
        field<&UnsupportedProtocolVersion::requested>("requested"));

template <>
inline constexpr auto description<MissingRequiredClientCapability> =
    describe<MissingRequiredClientCapability>(
        "data",
        field<&MissingRequiredClientCapability::required_capabilities>("requiredCapabilities"));

template <>
inline constexpr auto description<UrlElicitationRequired> = describe<UrlElicitationRequired>(
    "data", field<&UrlElicitationRequired::elicitations>("elicitations"),
    rest<&UrlElicitationRequired::extra>());

}  // namespace lanyard::reflect

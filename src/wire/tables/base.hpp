// Wire tables of the types that every area uses.
#pragma once

#include "lanyard/protocol/base.hpp"
#include "wire/tables/fields.hpp"

namespace lanyard::reflect {

template <>
inline constexpr auto description<Icon> = describe<Icon>(
    "Icon", field<&Icon::src>("src"), field<&Icon::mime_type>("mimeType", omit_empty),
    field<&Icon::sizes>("sizes", omit_empty), field<&Icon::theme>("theme"), rest<&Icon::extra>());

template <>
inline constexpr auto description<Annotations> =
    describe<Annotations>("Annotations", field<&Annotations::audience>("audience", omit_empty),
                          field<&Annotations::priority>("priority", min{0}, max{1}),
                          field<&Annotations::last_modified>("lastModified", omit_empty,
                                                             wire::from(Feature::last_modified)),
                          rest<&Annotations::extra>());

template <>
inline constexpr auto description<Implementation> = describe<Implementation>(
    "Implementation", field<&Implementation::name>("name"),
    field<&Implementation::title>("title", omit_empty, wire::from(Feature::titles)),
    field<&Implementation::version>("version"),
    field<&Implementation::description>("description", omit_empty,
                                        wire::from(Feature::implementation_details)),
    field<&Implementation::website_url>("websiteUrl", omit_empty,
                                        wire::from(Feature::implementation_details)),
    field<&Implementation::icons>("icons", omit_empty, wire::from(Feature::icons)));

template <>
inline constexpr auto description<EmptyParams> =
    describe<EmptyParams>("params", wire::meta<&EmptyParams::meta>(), rest<&EmptyParams::extra>());

template <>
inline constexpr auto description<EmptyResult> =
    describe<EmptyResult>("result", wire::complete<EmptyResult>(), wire::meta<&EmptyResult::meta>(),
                          rest<&EmptyResult::extra>());

template <>
inline constexpr auto description<PaginatedParams> = describe<PaginatedParams>(
    "params", field<&PaginatedParams::cursor>("cursor"), wire::meta<&PaginatedParams::meta>(),
    rest<&PaginatedParams::extra>());

}  // namespace lanyard::reflect

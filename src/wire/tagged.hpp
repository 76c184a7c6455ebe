// Unions whose alternatives are distinguished by a string member, the tag. Some revisions lack some
// of the alternatives.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "lanyard/codec.hpp"
#include "lanyard/protocol/features.hpp"

namespace lanyard::wire {

/// One alternative of a union.
struct Tagged {
    std::string_view tag;
    bool (*decode)(json::View view, void* out, DecodeContext& context);
    /// The feature that a revision must have for this alternative; nullopt if all revisions have
    /// it.
    std::optional<Feature> feature = std::nullopt;
};

/// Describes the alternative of Variant with index I. `tag` is the value of the string member by
/// which this alternative is recognized.
template <class Variant, std::size_t I>
constexpr Tagged tagged(std::string_view tag, std::optional<Feature> feature = std::nullopt) {
    using T = std::variant_alternative_t<I, Variant>;
    return {tag,
            [](json::View view, void* out, DecodeContext& context) {
                return Codec<T>::decode(view, static_cast<Variant*>(out)->template emplace<I>(),
                                        context);
            },
            feature};
}

/// Decodes the alternative whose tag is the value of the string member `member`.
bool decode_tagged(json::View view, void* variant, std::string_view member,
                   std::span<Tagged const> alternatives, DecodeContext& context);

/// Whether the JSON member named `member` is a string that is not the tag of any alternative.
bool is_other(json::View view, std::string_view member,
              std::span<Tagged const> alternatives) noexcept;

/// Refuses the current value because the revision in use lacks the feature. Returns false.
bool fail_lacking(DecodeContext& context, Feature feature);

/// Whether the revision has the feature; true if no revision is given.
inline bool has_feature(std::optional<Version> version, Feature feature) noexcept {
    return !version || supports(feature, *version);
}

/// Encodes the alternative that the variant holds.
template <class... Ts>
void encode_alternative(json::Writer& writer, std::variant<Ts...> const& value,
                        EncodeContext const& context) {
    std::visit(
        [&](auto const& held) {
            Codec<std::remove_cvref_t<decltype(held)>>::encode(writer, held, context);
        },
        value);
}

}  // namespace lanyard::wire

#include "wire/tagged.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"

namespace lanyard::wire {

bool fail_lacking(DecodeContext& context, Feature feature) {
    return context.fail("protocol version ", to_string(context.version().value_or(newest_version)),
                        " has no ", info(feature).name);
}

bool is_other(json::View view, std::string_view member,
              std::span<Tagged const> alternatives) noexcept {
    auto const tag = view.find(member);
    return tag && tag->is_string() &&
           std::ranges::none_of(alternatives, [&](Tagged const& alternative) {
               return tag->equals(alternative.tag);
           });
}

bool decode_tagged(json::View view, void* variant, std::string_view member,
                   std::span<Tagged const> alternatives, DecodeContext& context) {
    if (!view.is_object()) return context.fail_expected("an object", view);
    auto const tag = view.find(member);
    if (!tag) return context.fail("missing required property \"", member, "\"");
    for (auto const& alternative : alternatives) {
        if (!tag->equals(alternative.tag)) continue;
        if (alternative.feature && !has_feature(context.version(), *alternative.feature)) {
            DecodeContext::Step const step(context, member);
            return fail_lacking(context, *alternative.feature);
        }
        return alternative.decode(view, variant, context);
    }
    DecodeContext::Step const step(context, member);
    std::string expected;
    for (auto const& alternative : alternatives) {
        expected.append(expected.empty() ? "\"" : ", \"").append(alternative.tag).append("\"");
    }
    return context.fail("must be one of ", expected, ", got ", utf8_prefix(tag->raw(), 64));
}

}  // namespace lanyard::wire

// The functions for completion that are not C++ templates.
#include "lanyard/server/completion.hpp"

#include <algorithm>

namespace lanyard::detail {

Completion bounded(Completion completion) {
    auto const found = completion.values.size();
    if (found <= max_completion_values) return completion;
    completion.values.resize(max_completion_values);
    completion.has_more = true;
    if (!completion.total) completion.total = static_cast<std::int64_t>(found);
    return completion;
}

Completion matching(std::vector<std::string> const& choices, std::string_view typed) {
    Completion completion;
    std::ranges::copy_if(choices, std::back_inserter(completion.values),
                         [&](std::string const& choice) { return choice.starts_with(typed); });
    return bounded(std::move(completion));
}

}  // namespace lanyard::detail

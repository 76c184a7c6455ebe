#include "lanyard/reflect/context.hpp"

#include <algorithm>
#include <charconv>

#include "codec/message.hpp"
#include "json/pointer.hpp"

namespace lanyard {

namespace {

// Decoding a variant tries its alternatives, and these attempts can nest. To limit the total time,
// the outermost attempt sets a budget in bytes that grows with the size of its value, up to
// largest_budget. Each nested attempt uses up the size of its value plus attempt_cost.
constexpr std::size_t attempt_cost = 64;
constexpr std::size_t largest_budget = 32 * 1024 * 1024;
constexpr std::size_t budget_for(std::size_t size) noexcept {
    return std::min(32 * size + 16 * 1024, largest_budget);
}

}  // namespace

DecodeContext::Trial::Trial(DecodeContext& context, json::View view, bool quiet) noexcept
    : context_(context), outer_quiet_(context.quiet_) {
    auto const size = view.raw().size();
    if (context.trials_ == 0) {
        context.budget_ = budget_for(size);
    } else {
        context.budget_ -= std::min(context.budget_, size + attempt_cost);
    }
    ++context.trials_;
    context.quiet_ = outer_quiet_ || quiet;
}

DecodeContext::Trial::~Trial() {
    context_.quiet_ = outer_quiet_;
    --context_.trials_;
}

bool DecodeContext::skip_entry() {
    // The maximum number of errors stored; this many are enough to show what is wrong.
    constexpr std::size_t most_noted = 20;
    if (skipped_ == nullptr) return false;
    if (skipped_->size() < most_noted) skipped_->push_back(take_error());
    return true;
}

bool DecodeContext::fail_expected(std::string_view expected, json::View got) {
    if (quiet_) return false;
    return fail("must be ", expected, ", got ", json::describe(got.kind()));
}

bool DecodeContext::fail_with(std::span<std::string_view const> parts) {
    if (quiet_) return false;
    std::string message;
    for (auto const part : parts) message += part;
    error_ = {pointer(), std::move(message)};
    return false;
}

std::string DecodeContext::pointer() const {
    std::vector<Step const*> steps;
    for (auto const* step = path_; step != nullptr; step = step->parent_) steps.push_back(step);
    std::string result;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if ((*step)->indexed_) {
            json::append_pointer_step(result, std::to_string((*step)->index_));
        } else {
            json::append_pointer_step(result, (*step)->name_);
        }
    }
    return result;
}

}  // namespace lanyard

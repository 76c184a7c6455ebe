#include "codec/constraints.hpp"

#include <algorithm>

#include "codec/message.hpp"
#include "schema/instance.hpp"
#include "schema/unique.hpp"

namespace lanyard::codec {

namespace {

schema::NumericValue exact(reflect::Number number) noexcept {
    switch (number.kind()) {
        case reflect::Number::Kind::integer:
            return schema::NumericValue(number.integer());
        case reflect::Number::Kind::unsigned_integer:
            return schema::NumericValue(number.unsigned_integer());
        default:
            return schema::NumericValue(number.real());
    }
}

bool check_number(json::View view, reflect::Constraints const& constraints,
                  DecodeContext& context) {
    auto const value = schema::ViewInstance(view).number();
    auto const refuse = [&](std::string_view rule, reflect::Number bound) {
        if (context.quiet()) return false;
        return context.fail("must be ", rule, to_string(bound), ", got ", shown(view));
    };
    if (constraints.minimum && value < exact(constraints.minimum)) {
        return refuse("at least ", constraints.minimum);
    }
    if (constraints.maximum && value > exact(constraints.maximum)) {
        return refuse("at most ", constraints.maximum);
    }
    if (constraints.exclusive_minimum && value <= exact(constraints.exclusive_minimum)) {
        return refuse("greater than ", constraints.exclusive_minimum);
    }
    if (constraints.exclusive_maximum && value >= exact(constraints.exclusive_maximum)) {
        return refuse("less than ", constraints.exclusive_maximum);
    }
    if (constraints.multiple_of && !value.is_multiple_of(exact(constraints.multiple_of))) {
        return refuse("a multiple of ", constraints.multiple_of);
    }
    return true;
}

std::size_t code_points(json::View view) {
    std::string scratch;
    auto const text = schema::ViewInstance(view).string(scratch);
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

bool check_size(std::size_t size, std::optional<std::size_t> least, std::optional<std::size_t> most,
                std::string_view unit, DecodeContext& context) {
    auto const refuse = [&](std::string_view rule, std::size_t bound) {
        if (context.quiet()) return false;
        return context.fail("must have ", rule, std::to_string(bound), " ", unit,
                            bound == 1 ? ", got " : "s, got ", std::to_string(size));
    };
    if (least && size < *least) return refuse("at least ", *least);
    if (most && size > *most) return refuse("at most ", *most);
    return true;
}

bool check_unique(json::View view, DecodeContext& context) {
    auto const always = [](std::size_t, std::size_t) { return true; };
    auto const twins = schema::find_duplicate(schema::ViewInstance(view), always);
    if (!twins) return true;
    if (context.quiet()) return false;
    return context.fail("must not have equal items, got items ", std::to_string(twins->first),
                        " and ", std::to_string(twins->second), " equal");
}

}  // namespace

bool less(reflect::Number a, reflect::Number b) noexcept {
    return exact(a) < exact(b);
}

bool check_constraints(json::View view, reflect::Constraints const& constraints,
                       DecodeContext& context) {
    if (view.is_number()) return check_number(view, constraints, context);
    if (view.is_string()) {
        if (!constraints.min_length && !constraints.max_length) return true;
        return check_size(code_points(view), constraints.min_length, constraints.max_length,
                          "character", context);
    }
    if (view.is_array()) {
        return check_size(view.size(), constraints.min_items, constraints.max_items, "item",
                          context) &&
               (!constraints.unique_items || check_unique(view, context));
    }
    return true;
}

}  // namespace lanyard::codec

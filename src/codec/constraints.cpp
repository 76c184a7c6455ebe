#include "codec/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <utility>

#include "codec/message.hpp"
#include "lanyard/json/writer.hpp"

namespace lanyard::codec {

namespace {

using reflect::Number;

Number number_of(json::View view) noexcept {
    switch (view.kind()) {
        case json::Kind::integer:
            return *view.as_int64();
        case json::Kind::unsigned_integer:
            return *view.as_uint64();
        default:
            return *view.as_double();
    }
}

// Holds every 64-bit integer and every double where it has a 64-bit mantissa.
long double widened(Number number) noexcept {
    switch (number.kind()) {
        case Number::Kind::integer:
            return static_cast<long double>(number.integer());
        case Number::Kind::unsigned_integer:
            return static_cast<long double>(number.unsigned_integer());
        default:
            return static_cast<long double>(number.real());
    }
}

}  // namespace

bool less(Number a, Number b) noexcept {
    if (a.kind() == Number::Kind::integer && b.kind() == Number::Kind::integer) {
        return a.integer() < b.integer();
    }
    return widened(a) < widened(b);
}

namespace {

// Decimal fractions such as 0.01 are not exact in binary: the quotient may miss an integer by a few
// units in the last place.
bool is_multiple(Number value, Number divisor) noexcept {
    if (value.kind() == Number::Kind::integer && divisor.kind() == Number::Kind::integer) {
        return value.integer() % divisor.integer() == 0;
    }
    auto const quotient =
        static_cast<double>(widened(value)) / static_cast<double>(widened(divisor));
    auto const nearest = std::round(quotient);
    return std::abs(quotient - nearest) <= std::abs(nearest) * 4e-16;
}

bool check_number(json::View view, reflect::Constraints const& constraints,
                  DecodeContext& context) {
    auto const value = number_of(view);
    auto const refuse = [&](std::string_view rule, Number bound) {
        if (context.quiet()) return false;
        return context.fail("must be ", rule, to_string(bound), ", got ", shown(view));
    };
    if (constraints.minimum && less(value, constraints.minimum)) {
        return refuse("at least ", constraints.minimum);
    }
    if (constraints.maximum && less(constraints.maximum, value)) {
        return refuse("at most ", constraints.maximum);
    }
    if (constraints.exclusive_minimum && !less(constraints.exclusive_minimum, value)) {
        return refuse("greater than ", constraints.exclusive_minimum);
    }
    if (constraints.exclusive_maximum && !less(value, constraints.exclusive_maximum)) {
        return refuse("less than ", constraints.exclusive_maximum);
    }
    if (constraints.multiple_of && !is_multiple(value, constraints.multiple_of)) {
        return refuse("a multiple of ", constraints.multiple_of);
    }
    return true;
}

std::size_t code_points(std::string_view text) noexcept {
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

// A text that two values share exactly if JSON Schema calls them equal: members in the order of
// their keys, and one spelling for each number.
void append_canonical(json::View view, std::string& out) {
    json::Writer writer(out);
    switch (view.kind()) {
        case json::Kind::real: {
            auto const value = *view.as_double();
            if (value == std::trunc(value) && std::abs(value) < 0x1p63) {
                writer.integer(static_cast<std::int64_t>(value));
            } else {
                writer.real(value);
            }
            return;
        }
        case json::Kind::string:
            writer.string(*view.as_string());
            return;
        case json::Kind::array: {
            out += '[';
            for (auto const element : view.elements()) {
                append_canonical(element, out);
                out += ',';
            }
            out += ']';
            return;
        }
        case json::Kind::object: {
            std::vector<std::pair<std::string, json::View>> members;
            members.reserve(view.size());
            for (auto const& [key, value] : view.members()) {
                members.emplace_back(*key.as_string(), value);
            }
            std::sort(members.begin(), members.end(),
                      [](auto const& a, auto const& b) { return a.first < b.first; });
            out += '{';
            for (auto const& [key, value] : members) {
                json::Writer(out).string(key);
                out += ':';
                append_canonical(value, out);
                out += ',';
            }
            out += '}';
            return;
        }
        default:
            out += view.raw();
            return;
    }
}

bool check_unique(json::View view, DecodeContext& context) {
    std::vector<std::pair<std::string, std::size_t>> items;
    items.reserve(view.size());
    for (auto const element : view.elements()) {
        auto& item = items.emplace_back(std::string(), items.size());
        append_canonical(element, item.first);
    }
    std::sort(items.begin(), items.end());
    auto const twin =
        std::adjacent_find(items.begin(), items.end(),
                           [](auto const& a, auto const& b) { return a.first == b.first; });
    if (twin == items.end()) return true;
    if (context.quiet()) return false;
    return context.fail("must not have equal items, got items ", std::to_string(twin->second),
                        " and ", std::to_string(std::next(twin)->second), " equal");
}

}  // namespace

bool check_constraints(json::View view, reflect::Constraints const& constraints,
                       DecodeContext& context) {
    if (view.is_number()) return check_number(view, constraints, context);
    if (view.is_string()) {
        if (!constraints.min_length && !constraints.max_length) return true;
        auto const plain = view.plain_string();
        auto const length = plain ? code_points(*plain) : code_points(*view.as_string());
        return check_size(length, constraints.min_length, constraints.max_length, "character",
                          context);
    }
    if (view.is_array()) {
        return check_size(view.size(), constraints.min_items, constraints.max_items, "item",
                          context) &&
               (!constraints.unique_items || check_unique(view, context));
    }
    return true;
}

}  // namespace lanyard::codec

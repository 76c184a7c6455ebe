// The functions of Run for types, const and enum, numbers and strings.
#pragma once

#include "schema/run_impl.hpp"

namespace lanyard::schema {

template <class Instance, bool collecting>
bool Run<Instance, collecting>::accepts(std::uint8_t types, json::Kind kind, Instance const& in) {
    static constexpr std::uint8_t bits[] = {type_null,     type_boolean, type_integer, type_integer,
                                            type_fraction, type_string,  type_array,   type_object};
    if ((types & bits[static_cast<std::size_t>(kind)]) != 0) return true;
    return kind == json::Kind::real && (types & type_integer) != 0 && in.number().is_integral();
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::wrong_type(SchemaNode const& node, Instance const& in,
                                           Frame frame) {
    if (node.refuses_all()) {
        return fail(
            node, std::string_view(), frame, [] { return std::string("is not allowed"); }, true);
    }
    return fail(
        node, Keyword::type, frame,
        [&] { return "must be " + describe_types(node.types) + got(in); }, true);
}

// ---- const, enum

template <class Instance, bool collecting>
bool Run<Instance, collecting>::is_choice(std::uint32_t choices, Instance const& in) {
    Choices const& rules = program_.choices[choices];
    if (in.kind() == json::Kind::string) {
        std::string scratch;
        auto const text = in.string(scratch);
        return charge_text(text) && find_name(rules.strings, text) != none;
    }
    for (auto i = rules.others.begin; i < rules.others.end; ++i) {
        if (equal(in, program_.values[program_.lists[i]])) return true;
    }
    return false;
}

template <class Instance, bool collecting>
std::span<Json const> Run<Instance, collecting>::values_of(std::uint32_t choices) const noexcept {
    Range const range = program_.choices[choices].values;
    return std::span(program_.values).subspan(range.begin, range.size());
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::wrong_choice(SchemaNode const& node, Keyword keyword,
                                             std::uint32_t choices, Instance const& in,
                                             Frame frame) {
    return fail(
        node, keyword, frame, [&] { return describe_choices(values_of(choices)) + got(in); }, true);
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::equal(Instance const& in, Json const& value) {
    if (!charge(1)) return false;
    switch (in.kind()) {
        case json::Kind::null:
            return value.is_null();
        case json::Kind::boolean:
            return value.is_bool() && value.get_bool() == in.boolean();
        case json::Kind::integer:
        case json::Kind::unsigned_integer:
        case json::Kind::real:
            return value.is_number() && NumericValue(value) == in.number();
        case json::Kind::string: {
            std::string scratch;
            return value.is_string() && value.get_string() == in.string(scratch);
        }
        case json::Kind::array:
            return equal_arrays(in, value);
        case json::Kind::object:
            break;
    }
    return equal_objects(in, value);
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::equal_arrays(Instance const& in, Json const& value) {
    auto const* array = value.if_array();
    if (array == nullptr || array->size() != in.size()) return false;
    std::size_t at = 0;
    bool same = true;
    in.each_element([&](Instance const& item) {
        same = equal(item, (*array)[at++]);
        return same;
    });
    return same;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::equal_objects(Instance const& in, Json const& value) {
    auto const* object = value.if_object();
    if (object == nullptr || object->size() != in.size()) return false;
    bool same = true;
    std::string scratch;
    in.each_member([&](Instance const& key, Instance const& member) {
        auto const* other = object->if_contains(key.string(scratch));
        same = other != nullptr && equal(member, *other);
        return same;
    });
    return same;
}

// ---- numbers

template <class Instance, bool collecting>
bool Run<Instance, collecting>::number(SchemaNode const& node, Instance const& in, Frame frame) {
    NumberRules const& rules = program_.numbers[node.number];
    NumericValue const value = in.number();
    auto const wrong = [&](Keyword keyword, std::string_view words, NumericValue const& bound) {
        return fail(node, keyword, frame, [&] {
            return "must be " + std::string(words) + describe(bound.to_json()) + got(in);
        });
    };
    // The comparisons are negated because NaN, which is unordered, must not satisfy any bound.
    bool ok = true;
    if ((rules.bounds & NumberRules::minimum) != 0 && !(value >= rules.minimum_value)) {
        ok = wrong(Keyword::minimum, "at least ", rules.minimum_value);
    }
    if ((rules.bounds & NumberRules::exclusive_minimum) != 0 &&
        !(value > rules.exclusive_minimum_value)) {
        ok = wrong(Keyword::exclusive_minimum, "more than ", rules.exclusive_minimum_value);
    }
    if ((rules.bounds & NumberRules::maximum) != 0 && !(value <= rules.maximum_value)) {
        ok = wrong(Keyword::maximum, "at most ", rules.maximum_value);
    }
    if ((rules.bounds & NumberRules::exclusive_maximum) != 0 &&
        !(value < rules.exclusive_maximum_value)) {
        ok = wrong(Keyword::exclusive_maximum, "less than ", rules.exclusive_maximum_value);
    }
    if ((rules.bounds & NumberRules::multiple) != 0 && !value.is_multiple_of(rules.multiple_of)) {
        ok = wrong(Keyword::multiple_of, "a multiple of ", rules.multiple_of);
    }
    return ok;
}

// ---- strings

template <class Instance, bool collecting>
bool Run<Instance, collecting>::string(SchemaNode const& node, Instance const& in, Frame frame) {
    StringRules const& rules = program_.strings[node.string];
    std::string scratch;
    auto const text = in.string(scratch);
    if (!charge_text(text)) return false;
    bool ok = length(node, rules, text, frame);
    if (rules.pattern != none && !done(ok) && !matches(rules.pattern, text)) {
        ok = fail(node, Keyword::pattern, frame, [&] {
            return "must match the pattern " + quoted(program_.pattern_texts[rules.pattern]) +
                   got(in);
        });
    }
    if (rules.format != nullptr && !done(ok) &&
        !(charge(1 + text.size() / 8) && rules.format(text))) {
        ok = fail(node, Keyword::format, frame, [&] {
            return "must be in the format " + quoted(program_.names[rules.format_name].text) +
                   got(in);
        });
    }
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::length(SchemaNode const& node, StringRules const& rules,
                                       std::string_view text, Frame frame) {
    // A code point takes one to four bytes, so the size in bytes often makes counting unnecessary.
    if (text.size() <= rules.max_length && text.size() / 4 >= rules.min_length) return true;
    std::uint64_t count = 0;
    for (char const c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    auto const wrong = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
        return fail(node, keyword, frame, [&] {
            return "must have " + std::string(words) + counted(bound, "character", "characters") +
                   ", has " + std::to_string(count);
        });
    };
    bool ok = true;
    if (count < rules.min_length) ok = wrong(Keyword::min_length, "at least ", rules.min_length);
    if (count > rules.max_length) ok = wrong(Keyword::max_length, "at most ", rules.max_length);
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::matches(std::uint32_t pattern, std::string_view text) {
    auto const& compiled = program_.patterns[pattern];
    // Most patterns take almost no time per byte of text. A hostile pattern takes, for each byte of
    // text, a time proportional to the size of the pattern. The number of steps includes both
    // costs.
    auto const steps = 1 + text.size() / 8 + text.size() * compiled.size() / 128;
    return charge(steps) && compiled.matches(text);
}

}  // namespace lanyard::schema

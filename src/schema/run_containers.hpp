// The functions of Run for arrays and objects.
#pragma once

#include "schema/run_impl.hpp"
#include "schema/unique.hpp"

namespace lanyard::schema {

template <class Instance, bool collecting>
bool Run<Instance, collecting>::array(SchemaNode const& node, Instance const& in, Bits* evaluated,
                                      Frame frame) {
    ArrayRules const& rules = program_.arrays[node.array];
    std::size_t const size = in.size();
    auto const wrong_size = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
        return fail(node, keyword, frame, [&] {
            return "must have " + std::string(words) + counted(bound, "item", "items") + ", has " +
                   std::to_string(size);
        });
    };
    bool ok = true;
    if (size < rules.min_items) ok = wrong_size(Keyword::min_items, "at least ", rules.min_items);
    if (size > rules.max_items) ok = wrong_size(Keyword::max_items, "at most ", rules.max_items);
    if (done(ok)) return false;
    if (rules.rest != none || !rules.prefix.empty()) {
        ok &= elements(node, rules, in, evaluated, frame);
    }
    if (!done(ok) && rules.contains != none) ok &= contains(node, rules, in, evaluated, frame);
    if (!done(ok) && rules.unique) ok &= unique(node, in, frame);
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::elements(SchemaNode const& node, ArrayRules const& rules,
                                         Instance const& in, Bits* evaluated, Frame frame) {
    bool ok = true;
    std::size_t at = 0;
    in.each_element([&](Instance const& item) {
        std::size_t const index = at++;
        bool const in_prefix = index < rules.prefix.size();
        std::uint32_t const child =
            in_prefix ? program_.lists[rules.prefix.begin + index] : rules.rest;
        if (child == none) return false;
        if (evaluated != nullptr) evaluated->set(index);
        if (!in_prefix && program_.nodes[child].refuses_all()) {
            ok = fail(node, rules.rest_keyword, frame, [&] {
                return "must have at most " + counted(rules.prefix.size(), "item", "items") +
                       ", has " + std::to_string(in.size());
            });
            return false;
        }
        ok &= check_element(child, item, frame, index);
        return !done(ok);
    });
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::contains(SchemaNode const& node, ArrayRules const& rules,
                                         Instance const& in, Bits* evaluated, Frame frame) {
    std::uint64_t found = 0;
    std::size_t at = 0;
    in.each_element([&](Instance const& item) {
        std::size_t const index = at++;
        if (probe(rules.contains, item, nullptr, frame)) {
            ++found;
            if (evaluated != nullptr) evaluated->set(index);
        }
        // Once enough elements match, continues only if there is an upper bound or if evaluated
        // elements must be marked.
        return evaluated != nullptr || rules.max_contains != unlimited ||
               found < rules.min_contains;
    });
    auto const wrong = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
        return fail(node, keyword, frame, [&] {
            return "must contain " + std::string(words) +
                   counted(bound, "matching item", "matching items") + ", has " +
                   std::to_string(found);
        });
    };
    if (found < rules.min_contains) {
        return wrong(rules.min_contains == 1 ? Keyword::contains : Keyword::min_contains,
                     "at least ", rules.min_contains);
    }
    return found <= rules.max_contains ||
           wrong(Keyword::max_contains, "at most ", rules.max_contains);
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::unique(SchemaNode const& node, Instance const& in, Frame frame) {
    auto const twins = find_duplicate(in, [this](std::uint64_t steps, std::size_t depth) {
        if (depth > program_.max_recursion) halt(Validity::too_deep);
        return charge(steps);
    });
    return !twins || fail(node, Keyword::unique_items, frame, [&] {
        return "items must be unique, but items " + std::to_string(twins->first) + " and " +
               std::to_string(twins->second) + " are equal";
    });
}

/// Returns the position of a name in a sorted part of Program::names, or `none`.
template <class Instance, bool collecting>
std::uint32_t Run<Instance, collecting>::find_name(Range range,
                                                   std::string_view text) const noexcept {
    auto const names = std::span(program_.names).subspan(range.begin, range.size());
    auto const at = std::lower_bound(
        names.begin(), names.end(), text,
        [](Name const& name, std::string_view wanted) { return name_less(name.text, wanted); });
    if (at == names.end() || at->text != text) return none;
    return static_cast<std::uint32_t>(at - names.begin());
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::object(SchemaNode const& node, Instance const& in, Bits* evaluated,
                                       Frame frame) {
    ObjectRules const& rules = program_.objects[node.object];
    std::size_t const size = in.size();
    auto const wrong_size = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
        return fail(node, keyword, frame, [&] {
            return "must have " + std::string(words) + counted(bound, "property", "properties") +
                   ", has " + std::to_string(size);
        });
    };
    bool ok = true;
    if (size < rules.min_properties) {
        ok = wrong_size(Keyword::min_properties, "at least ", rules.min_properties);
    }
    if (size > rules.max_properties) {
        ok = wrong_size(Keyword::max_properties, "at most ", rules.max_properties);
    }
    if (done(ok)) return false;
    Bits present(rules.tracks_presence ? rules.names.size() : 0);
    if (!charge(present.words())) return false;
    std::size_t at = 0;
    in.each_member([&](Instance const& key, Instance const& value) {
        std::size_t const index = at++;
        bool looked_at = false;
        ok &= member(node, rules, key, value, present, looked_at, frame);
        if (looked_at && evaluated != nullptr) evaluated->set(index);
        return !done(ok);
    });
    if (!done(ok)) ok &= required(node, rules, present, frame);
    for (auto i = rules.dependencies.begin; i < rules.dependencies.end && !done(ok); ++i) {
        Dependency const& dependency = program_.dependencies[i];
        if (!present.test(dependency.trigger)) continue;
        ok &= depend(node, rules, dependency, present, in, evaluated, frame);
    }
    return ok;
}

/// Checks one member of the object with `properties`, `patternProperties`, `additionalProperties`
/// and `propertyNames`. Sets `looked_at` if one of the first three keywords applies to the member,
/// and marks the member's name in `present` if `required` or `dependencies` need it.
template <class Instance, bool collecting>
bool Run<Instance, collecting>::member(SchemaNode const& node, ObjectRules const& rules,
                                       Instance const& key, Instance const& value, Bits& present,
                                       bool& looked_at, Frame frame) {
    std::string scratch;
    auto const text = key.string(scratch);
    if (!charge(1 + text.size() / 64)) return false;
    bool ok = true;
    if (auto const name = find_name(rules.names, text); name != none) {
        if (rules.tracks_presence) present.set(name);
        std::uint32_t const child = program_.names[rules.names.begin + name].node;
        if (child != none) {
            looked_at = true;
            ok = check_member(child, value, frame, text);
        }
    }
    for (auto i = rules.patterns.begin; i < rules.patterns.end && !done(ok); ++i) {
        PatternRule const& rule = program_.pattern_rules[i];
        if (!matches(rule.pattern, text)) continue;
        looked_at = true;
        ok &= check_member(rule.node, value, frame, text);
    }
    if (!looked_at && rules.additional != none) {
        looked_at = true;
        ok &= program_.nodes[rules.additional].refuses_all()
                  ? unknown_property(node, rules, text, frame)
                  : check_member(rules.additional, value, frame, text);
    }
    if (rules.property_names != none && !done(ok)) ok &= property_name(rules, key, text, frame);
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::required(SchemaNode const& node, ObjectRules const& rules,
                                         Bits const& present, Frame frame) {
    bool ok = true;
    for (auto i = rules.required.begin; i < rules.required.end && !done(ok); ++i) {
        std::uint32_t const name = program_.lists[i];
        if (present.test(name)) continue;
        ok = fail(node, Keyword::required, frame, [&] {
            return "missing required property " +
                   quoted(program_.names[rules.names.begin + name].text);
        });
    }
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::unknown_property(SchemaNode const& node, ObjectRules const& rules,
                                                 std::string_view name, Frame frame) {
    return fail(node, Keyword::additional_properties, frame, [&] {
        auto const names = std::span(program_.names).subspan(rules.names.begin, rules.names.size());
        std::string message = "unknown property " + quoted(name);
        auto const candidates = names.first(std::min(names.size(), max_hint_candidates));
        charge(16 * candidates.size());
        auto const meant = closest_name(candidates, name);
        if (!meant.empty()) message += " (did you mean " + quoted(meant) + "?)";
        return message;
    });
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::property_name(ObjectRules const& rules, Instance const& key,
                                              std::string_view text, Frame frame) {
    std::size_t const before = findings_.size();
    bool const ok = check(rules.property_names, key, nullptr, frame);
    // A message describes only what is wrong ("must be ..."), so the property name is put before
    // the message.
    for (std::size_t i = before; i < findings_.size(); ++i) {
        auto& message = findings_[i].error.message;
        message = "the property name " + quoted(text) + " " + message;
    }
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::depend(SchemaNode const& node, ObjectRules const& rules,
                                       Dependency const& dependency, Bits const& present,
                                       Instance const& in, Bits* evaluated, Frame frame) {
    auto const name_at = [&](std::uint32_t position) {
        return quoted(program_.names[rules.names.begin + position].text);
    };
    bool ok = true;
    for (auto i = dependency.names.begin; i < dependency.names.end && !done(ok); ++i) {
        std::uint32_t const name = program_.lists[i];
        if (present.test(name)) continue;
        ok = fail(node, dependency.keyword, frame, [&] {
            return "missing property " + name_at(name) + ", required because " +
                   name_at(dependency.trigger) + " is present";
        });
    }
    return dependency.node == none ? ok : check(dependency.node, in, evaluated, frame);
}

}  // namespace lanyard::schema

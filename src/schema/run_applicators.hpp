// The functions of Run for $ref, $dynamicRef, allOf, anyOf, oneOf, not and if.
#pragma once

#include "schema/run_impl.hpp"

namespace lanyard::schema {

template <class Instance, bool collecting>
bool Run<Instance, collecting>::applicator(SchemaNode const& node, Applicator const& keyword,
                                           Instance const& in, Bits* evaluated, Frame frame) {
    switch (keyword.op) {
        case Applicator::Op::always:
            return check(keyword.a, in, evaluated, frame);
        case Applicator::Op::dynamic:
            return check(dynamic_target(keyword, frame.scope), in, evaluated, frame);
        case Applicator::Op::any:
            return any_of(node, keyword, in, evaluated, frame);
        case Applicator::Op::exactly_one:
            return one_of(node, keyword, in, evaluated, frame);
        case Applicator::Op::negation:
            return !probe(keyword.a, in, nullptr, frame) ||
                   fail(node, Keyword::negation, frame,
                        [&] { return "must not match the schema of \"not\"" + got(in); });
        case Applicator::Op::conditional:
            break;
    }
    std::uint32_t const next = probe(keyword.a, in, evaluated, frame) ? keyword.b : keyword.c;
    return next == none || check(next, in, evaluated, frame);
}

/// Returns the target of a `$dynamicRef`. Searches the resources of the dynamic scope, outermost
/// first, and returns the anchor of the first resource that has a matching one. If no resource has
/// one, returns the static target, keyword.a.
template <class Instance, bool collecting>
std::uint32_t Run<Instance, collecting>::dynamic_target(Applicator const& keyword,
                                                        Scope const* scope) {
    std::uint32_t target = keyword.a;
    auto const& entries = program_.dynamic[keyword.b].entries;
    for (; scope != nullptr && charge(1); scope = scope->parent) {
        auto const at = std::lower_bound(
            entries.begin(), entries.end(), scope->resource,
            [](auto const& entry, std::uint32_t wanted) { return entry.resource < wanted; });
        if (at != entries.end() && at->resource == scope->resource) target = at->node;
    }
    return target;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::any_of(SchemaNode const& node, Applicator const& keyword,
                                       Instance const& in, Bits* evaluated, Frame frame) {
    auto const alternatives = std::span(program_.lists).subspan(keyword.a, keyword.b - keyword.a);
    bool ok = false;
    for (std::uint32_t const alternative : alternatives) {
        ok |= probe(alternative, in, evaluated, frame);
        // If `evaluated` is given, all alternatives must be tried, because each matching
        // alternative sets bits in `evaluated`.
        if (ok && evaluated == nullptr) break;
    }
    if constexpr (collecting) {
        if (!ok) explain_alternatives(node, Keyword::any_of, alternatives, in, frame);
    }
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::one_of(SchemaNode const& node, Applicator const& keyword,
                                       Instance const& in, Bits* evaluated, Frame frame) {
    auto const alternatives = std::span(program_.lists).subspan(keyword.a, keyword.b - keyword.a);
    std::size_t first = 0;  // the number of the first match, counted from 1; 0 if none
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
        if (!probe(alternatives[i], in, evaluated, frame)) continue;
        if (first != 0) {
            return fail(node, Keyword::one_of, frame, [&] {
                return "must match exactly one alternative of \"oneOf\", but matches numbers " +
                       std::to_string(first) + " and " + std::to_string(i + 1);
            });
        }
        first = i + 1;
    }
    if constexpr (collecting) {
        if (first == 0) explain_alternatives(node, Keyword::one_of, alternatives, in, frame);
    }
    return first != 0;
}

/// Reports why no alternative matches. If all alternatives are lists of values, reports the allowed
/// values. Otherwise, if no alternative has the type of the value, reports the allowed types. In
/// all other cases, reports the errors of the closest alternative, or of all that are equally
/// close.
template <class Instance, bool collecting>
void Run<Instance, collecting>::explain_alternatives(SchemaNode const& node, Keyword keyword,
                                                     std::span<std::uint32_t const> alternatives,
                                                     Instance const& in, Frame frame) {
    if (!reporting()) return;
    std::uint8_t types = 0;
    std::vector<Json> values;
    bool only_values = true;
    for (std::uint32_t const alternative : alternatives) {
        SchemaNode const& other = program_.nodes[alternative];
        types = static_cast<std::uint8_t>(types | other.types);
        auto const choices = other.constant != none ? other.constant : other.enumeration;
        only_values = only_values && choices != none && !is_choice(choices, in);
        if (!only_values) continue;
        auto const more = values_of(choices);
        values.insert(values.end(), more.begin(), more.end());
    }
    if (only_values) {
        fail(node, keyword, frame, [&] { return describe_choices(values) + got(in); }, true);
    } else if (types != 0 && !accepts(types, in.kind(), in)) {
        fail(
            node, keyword, frame, [&] { return "must be " + describe_types(types) + got(in); },
            true);
    } else {
        explain_closest(node, keyword, alternatives, in, frame);
    }
}

template <class Instance, bool collecting>
void Run<Instance, collecting>::explain_closest(SchemaNode const& node, Keyword keyword,
                                                std::span<std::uint32_t const> alternatives,
                                                Instance const& in, Frame frame) {
    std::vector<Finding> before;
    std::vector<std::vector<Finding>> best;  // alternatives that are equally close
    findings_.swap(before);
    for (std::uint32_t const alternative : alternatives) {
        check(alternative, in, nullptr, frame);
        auto found = std::exchange(findings_, {});
        if (best.empty() || closer(found, best.front(), frame.path->depth)) {
            best.clear();
        } else if (found.empty() || closer(best.front(), found, frame.path->depth)) {
            continue;
        }
        best.push_back(std::move(found));
    }
    findings_.swap(before);
    if (best.empty()) return;
    if (auto text = describe_ties(best, pointer(frame.path)); !text.empty()) {
        fail(node, keyword, frame, [&] { return std::move(text); });
        return;
    }
    for (auto& finding : best.front()) {
        if (findings_.size() < program_.max_errors) findings_.push_back(std::move(finding));
    }
}

/// Describes what each of several equally close alternatives misses: "missing required property
/// "a"; or missing required property "b"". Empty if there is only one alternative, or if the text
/// would be long.
template <class Instance, bool collecting>
std::string Run<Instance, collecting>::describe_ties(
    std::vector<std::vector<Finding>> const& alternatives, std::string const& place) {
    constexpr std::size_t max_bytes = 500;
    std::vector<std::string> parts;
    std::size_t bytes = 0;
    for (auto const& findings : alternatives) {
        std::string part;
        for (auto const& finding : findings) {
            auto const& error = finding.error;
            if (!part.empty()) part += ", ";
            part += error.instance == place ? error.message : error.to_string();
        }
        if (std::find(parts.begin(), parts.end(), part) != parts.end()) continue;
        bytes += part.size();
        if (bytes > max_bytes) return {};
        parts.push_back(std::move(part));
    }
    std::string text;
    if (parts.size() < 2) return text;
    for (auto const& part : parts) text.append(text.empty() ? "" : "; or ").append(part);
    return text;
}

/// Whether the alternative with the findings `a` is more likely the intended one than the
/// alternative with `b`. Alternatives that are ruled out by the type or by a discriminating value
/// come last; among the other alternatives, the one with fewer errors wins.
template <class Instance, bool collecting>
bool Run<Instance, collecting>::closer(std::vector<Finding> const& a, std::vector<Finding> const& b,
                                       std::size_t depth) {
    auto const distance = [&](std::vector<Finding> const& findings) {
        int far = 0;
        for (auto const& finding : findings) {
            if (!finding.excludes) continue;
            if (finding.depth == depth) return 2;
            if (finding.depth == depth + 1) far = 1;
        }
        return far;
    };
    // If there are no findings, the step limit was reached before the first report.
    if (a.empty()) return false;
    int const far_a = distance(a);
    int const far_b = distance(b);
    return far_a != far_b ? far_a < far_b : a.size() < b.size();
}

}  // namespace lanyard::schema

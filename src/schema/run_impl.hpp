// The one implementation of validation, instantiated for each kind of instance: once to decide,
// once to collect what is wrong.
#pragma once

#include <algorithm>
#include <span>

#include "schema/bits.hpp"
#include "schema/explain.hpp"
#include "schema/run.hpp"
#include "schema/unique.hpp"

namespace lanyard::schema {

/// Steps to a value inside the instance, kept on the stack and turned into a pointer on demand.
struct Path {
    Path const* parent;
    std::string_view key;
    std::size_t index;
    bool is_index;
    std::size_t depth;
};

/// The resources entered on the way to a subschema, for `$dynamicRef`.
struct Scope {
    Scope const* parent;
    std::uint32_t resource;
};

template <class Instance, bool collecting>
class Run {
public:
    explicit Run(Program const& program) noexcept : program_(program), limit_(program.max_steps) {}

    Verdict run(Instance const& instance) {
        Path const root{nullptr, {}, 0, false, 0};
        bool const valid = check(0, instance, nullptr, {nullptr, &root});
        if (halted_ != Verdict::valid) return halted_;
        return valid ? Verdict::valid : Verdict::invalid;
    }

    std::uint64_t steps() const noexcept { return steps_; }

    std::vector<ValidationError> take_errors() {
        std::vector<ValidationError> out;
        for (auto& finding : findings_) out.push_back(std::move(finding.error));
        return out;
    }

private:
    /// What a subschema inherits from the one that applies it.
    struct Frame {
        Scope const* scope;
        Path const* path;
    };
    struct Finding {
        ValidationError error;
        std::size_t depth;  // of the instance it is about
        bool excludes;      // a mismatch of type or value: this alternative was not meant
    };

    // ---- budgets

    void halt(Verdict why) noexcept {
        if (halted_ == Verdict::valid) halted_ = why;
        limit_ = 0;  // everything still on the stack unwinds at its next step
    }

    bool charge(std::uint64_t steps) noexcept {
        steps_ += steps;
        if (steps_ <= limit_) return true;
        halt(Verdict::too_many_steps);
        return false;
    }

    // ---- reporting

    bool reporting() const noexcept { return collecting && muted_ == 0; }

    /// Whether the rest of a subschema need not be looked at.
    bool done(bool ok) const noexcept {
        return !ok && (!reporting() || findings_.size() >= program_.max_errors);
    }

    template <class Message>
    bool fail(Node const& node, std::string_view keyword, Frame frame, Message&& message,
              bool excludes = false) {
        if constexpr (collecting) {
            if (reporting() && findings_.size() < program_.max_errors && charge(1)) {
                findings_.push_back(
                    {{pointer(frame.path), program_.location(node.resource, node.place, keyword),
                      std::string(keyword.substr(0, keyword.find('/'))), message()},
                     frame.path->depth,
                     excludes});
            }
        }
        return false;
    }

    bool fail(Node const& node, Keyword keyword, Frame frame, auto&& message,
              bool excludes = false) {
        return fail(node, name_of(keyword), frame, message, excludes);
    }

    static std::string pointer(Path const* path) {
        std::vector<std::string> tokens;
        for (; path->parent != nullptr; path = path->parent) {
            tokens.push_back(path->is_index ? std::to_string(path->index)
                                            : escape_token(path->key));
        }
        std::string out;
        for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
            out.append("/").append(*token);
        }
        return out;
    }

    static std::string got(Instance const& in) {
        switch (in.kind()) {
            case json::Kind::array:
                return ", got an array";
            case json::Kind::object:
                return ", got an object";
            default:
                return ", got " + describe(in.to_json());
        }
    }

    // ---- subschemas

    /// Applies a node to an instance. `evaluated`, where given, gains the members or elements that
    /// the node has looked at.
    bool check(std::uint32_t id, Instance const& in, Bits* evaluated, Frame frame) {
        if (!charge(1)) return false;
        if (depth_ >= program_.max_recursion) {
            halt(Verdict::too_deep);
            return false;
        }
        Node const& node = program_.nodes[id];
        Scope const here{frame.scope, node.resource};
        if (!program_.dynamic.empty() &&
            (frame.scope == nullptr || frame.scope->resource != node.resource)) {
            frame.scope = &here;
        }
        ++depth_;
        auto const kind = in.kind();
        std::uint32_t const closed = kind == json::Kind::object  ? node.unevaluated_properties
                                     : kind == json::Kind::array ? node.unevaluated_items
                                                                 : none;
        bool const ok = closed == none ? apply(node, kind, in, evaluated, frame)
                                       : apply_closed(node, kind, closed, in, evaluated, frame);
        --depth_;
        return ok;
    }

    bool check_child(std::uint32_t id, Instance const& in, Frame frame, std::string_view key,
                     std::size_t index, bool is_index) {
        Node const& node = program_.nodes[id];
        if (node.only_types && accepts(node.types, in.kind(), in)) return charge(1);
        if constexpr (collecting) {
            Path const path{frame.path, key, index, is_index, frame.path->depth + 1};
            return check(id, in, nullptr, {frame.scope, &path});
        } else {
            return check(id, in, nullptr, frame);
        }
    }

    bool check_element(std::uint32_t id, Instance const& in, Frame frame, std::size_t index) {
        return check_child(id, in, frame, {}, index, true);
    }

    bool check_member(std::uint32_t id, Instance const& in, Frame frame, std::string_view key) {
        return check_child(id, in, frame, key, 0, false);
    }

    /// check() without a report: for subschemas whose failure is not an error by itself.
    bool probe(std::uint32_t id, Instance const& in, Bits* evaluated, Frame frame) {
        ++muted_;
        bool ok;
        if (evaluated == nullptr) {
            ok = check(id, in, nullptr, frame);
        } else {
            Bits own(evaluated->size());
            ok = charge(own.words()) && check(id, in, &own, frame);
            if (ok) evaluated->merge(own);
        }
        --muted_;
        return ok;
    }

    static bool accepts(std::uint8_t types, json::Kind kind, Instance const& in) {
        static constexpr std::uint8_t bits[] = {type_null,    type_boolean,  type_integer,
                                                type_integer, type_fraction, type_string,
                                                type_array,   type_object};
        if ((types & bits[static_cast<std::size_t>(kind)]) != 0) return true;
        return kind == json::Kind::real && (types & type_integer) != 0 && in.number().is_integral();
    }

    bool apply_closed(Node const& node, json::Kind kind, std::uint32_t closed, Instance const& in,
                      Bits* evaluated, Frame frame) {
        Bits own(in.size());
        if (!charge(own.words())) return false;
        bool ok = apply(node, kind, in, &own, frame);
        if (done(ok)) return false;
        bool const refuses = program_.nodes[closed].refuses_all();
        std::size_t at = 0;
        if (!charge(in.size())) return false;
        if (kind == json::Kind::array) {
            in.each_element([&](Instance const& item) {
                std::size_t const index = at++;
                if (own.test(index)) return true;
                ok &= refuses ? fail(node, Keyword::unevaluated_items, frame,
                                     [&] { return "unexpected item " + std::to_string(index); })
                              : check_element(closed, item, frame, index);
                return !done(ok);
            });
        } else {
            std::string scratch;
            in.each_member([&](Instance const& key, Instance const& value) {
                if (own.test(at++)) return true;
                auto const name = key.string(scratch);
                ok &= refuses ? fail(node, Keyword::unevaluated_properties, frame,
                                     [&] { return "unknown property " + quoted(name); })
                              : check_member(closed, value, frame, name);
                return !done(ok);
            });
        }
        if (ok && evaluated != nullptr) {
            for (std::size_t i = 0; i < evaluated->size(); ++i) evaluated->set(i);
        }
        return ok;
    }

    bool apply(Node const& node, json::Kind kind, Instance const& in, Bits* evaluated,
               Frame frame) {
        if (!accepts(node.types, kind, in)) return wrong_type(node, in, frame);
        bool ok = true;
        if (node.constant != none && !is_choice(program_.choices[node.constant], in)) {
            ok = wrong_choice(node, Keyword::constant, program_.choices[node.constant], in, frame);
        }
        if (node.enumeration != none && !is_choice(program_.choices[node.enumeration], in)) {
            ok = wrong_choice(node, Keyword::enumeration, program_.choices[node.enumeration], in,
                              frame);
        }
        if (done(ok)) return false;
        switch (kind) {
            case json::Kind::null:
            case json::Kind::boolean:
                break;
            case json::Kind::integer:
            case json::Kind::unsigned_integer:
            case json::Kind::real:
                if (node.number != none) ok &= number(node, in, frame);
                break;
            case json::Kind::string:
                if (node.string != none) ok &= string(node, in, frame);
                break;
            case json::Kind::array:
                if (node.array != none) ok &= array(node, in, evaluated, frame);
                break;
            case json::Kind::object:
                if (node.object != none) ok &= object(node, in, evaluated, frame);
                break;
        }
        for (auto i = node.applicators.begin; i < node.applicators.end && !done(ok); ++i) {
            ok &= applicator(node, program_.applicators[i], in, evaluated, frame);
        }
        return ok;
    }

    bool wrong_type(Node const& node, Instance const& in, Frame frame) {
        if (node.refuses_all()) {
            return fail(
                node, std::string_view(), frame, [] { return std::string("is not allowed"); },
                true);
        }
        return fail(
            node, Keyword::type, frame,
            [&] { return "must be " + describe_types(node.types) + got(in); }, true);
    }

    // ---- const, enum

    bool is_choice(Choices const& choices, Instance const& in) {
        if (in.kind() == json::Kind::string) {
            std::string scratch;
            auto const text = in.string(scratch);
            return find_name(choices.strings, text) != none;
        }
        for (auto i = choices.others.begin; i < choices.others.end; ++i) {
            if (equal(in, program_.values[i])) return true;
        }
        return false;
    }

    bool wrong_choice(Node const& node, Keyword keyword, Choices const& choices, Instance const& in,
                      Frame frame) {
        return fail(
            node, keyword, frame,
            [&] {
                auto const values = std::span(program_.values)
                                        .subspan(choices.in_order.begin, choices.in_order.size());
                return describe_choices(values) + got(in);
            },
            true);
    }

    bool equal(Instance const& in, Json const& value) {
        if (!charge(1)) return false;
        switch (in.kind()) {
            case json::Kind::null:
                return value.is_null();
            case json::Kind::boolean:
                return value.is_bool() && value.get_bool() == in.boolean();
            case json::Kind::integer:
            case json::Kind::unsigned_integer:
            case json::Kind::real:
                return value.is_number() && Number(value) == in.number();
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

    bool equal_arrays(Instance const& in, Json const& value) {
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

    bool equal_objects(Instance const& in, Json const& value) {
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

    bool number(Node const& node, Instance const& in, Frame frame) {
        NumberRules const& rules = program_.numbers[node.number];
        Number const value = in.number();
        auto const wrong = [&](Keyword keyword, std::string_view words, Number const& bound) {
            return fail(node, keyword, frame, [&] {
                return "must be " + std::string(words) + describe(bound.to_json()) + got(in);
            });
        };
        bool ok = true;
        if ((rules.bounds & NumberRules::minimum) != 0 && value < rules.minimum_value) {
            ok = wrong(Keyword::minimum, "at least ", rules.minimum_value);
        }
        if ((rules.bounds & NumberRules::exclusive_minimum) != 0 &&
            value <= rules.exclusive_minimum_value) {
            ok = wrong(Keyword::exclusive_minimum, "more than ", rules.exclusive_minimum_value);
        }
        if ((rules.bounds & NumberRules::maximum) != 0 && value > rules.maximum_value) {
            ok = wrong(Keyword::maximum, "at most ", rules.maximum_value);
        }
        if ((rules.bounds & NumberRules::exclusive_maximum) != 0 &&
            value >= rules.exclusive_maximum_value) {
            ok = wrong(Keyword::exclusive_maximum, "less than ", rules.exclusive_maximum_value);
        }
        if ((rules.bounds & NumberRules::multiple) != 0 &&
            !value.is_multiple_of(rules.multiple_of)) {
            ok = wrong(Keyword::multiple_of, "a multiple of ", rules.multiple_of);
        }
        return ok;
    }

    // ---- strings

    static std::uint64_t count_code_points(std::string_view text) noexcept {
        std::uint64_t count = 0;
        for (char const c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        return count;
    }

    bool matches(std::uint32_t pattern, std::string_view text) {
        return charge(1 + text.size() / 8) && program_.patterns[pattern].matches(text);
    }

    bool string(Node const& node, Instance const& in, Frame frame) {
        StringRules const& rules = program_.strings[node.string];
        std::string scratch;
        auto const text = in.string(scratch);
        bool ok = true;
        // A code point takes one to four bytes, which mostly decides without counting.
        if (text.size() > rules.max_length || text.size() / 4 < rules.min_length) {
            if (!charge(text.size() / 64)) return false;
            auto const length = count_code_points(text);
            auto const wrong = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
                return fail(node, keyword, frame, [&] {
                    return "must have " + std::string(words) +
                           counted(bound, "character", "characters") + ", has " +
                           std::to_string(length);
                });
            };
            if (length < rules.min_length) {
                ok = wrong(Keyword::min_length, "at least ", rules.min_length);
            }
            if (length > rules.max_length) {
                ok = wrong(Keyword::max_length, "at most ", rules.max_length);
            }
        }
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

    // ---- arrays

    bool array(Node const& node, Instance const& in, Bits* evaluated, Frame frame) {
        ArrayRules const& rules = program_.arrays[node.array];
        std::size_t const size = in.size();
        auto const wrong_size = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
            return fail(node, keyword, frame, [&] {
                return "must have " + std::string(words) + counted(bound, "item", "items") +
                       ", has " + std::to_string(size);
            });
        };
        bool ok = true;
        if (size < rules.min_items)
            ok = wrong_size(Keyword::min_items, "at least ", rules.min_items);
        if (size > rules.max_items)
            ok = wrong_size(Keyword::max_items, "at most ", rules.max_items);
        if (done(ok)) return false;
        if (rules.rest != none || !rules.prefix.empty()) {
            ok &= elements(node, rules, in, evaluated, frame);
        }
        if (!done(ok) && rules.contains != none) ok &= contains(node, rules, in, evaluated, frame);
        if (!done(ok) && rules.unique) ok &= unique(node, in, frame);
        return ok;
    }

    bool elements(Node const& node, ArrayRules const& rules, Instance const& in, Bits* evaluated,
                  Frame frame) {
        bool ok = true;
        std::size_t at = 0;
        in.each_element([&](Instance const& item) {
            std::size_t const index = at++;
            std::uint32_t const child = index < rules.prefix.size()
                                            ? program_.lists[rules.prefix.begin + index]
                                            : rules.rest;
            if (child == none) return false;
            if (evaluated != nullptr) evaluated->set(index);
            if (child == rules.rest && program_.nodes[child].refuses_all()) {
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

    bool contains(Node const& node, ArrayRules const& rules, Instance const& in, Bits* evaluated,
                  Frame frame) {
        std::uint64_t found = 0;
        std::size_t at = 0;
        in.each_element([&](Instance const& item) {
            std::size_t const index = at++;
            if (probe(rules.contains, item, nullptr, frame)) {
                ++found;
                if (evaluated != nullptr) evaluated->set(index);
            }
            // Once there are enough, only an upper bound or the marks make it worth going on.
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
        if (found > rules.max_contains) {
            return wrong(Keyword::max_contains, "at most ", rules.max_contains);
        }
        return true;
    }

    bool unique(Node const& node, Instance const& in, Frame frame) {
        auto const twins = find_duplicate(in, [this](std::uint64_t steps, std::size_t depth) {
            if (depth > program_.max_recursion) halt(Verdict::too_deep);
            return charge(steps);
        });
        if (!twins) return true;
        return fail(node, Keyword::unique_items, frame, [&] {
            return "items must be unique, but items " + std::to_string(twins->first) + " and " +
                   std::to_string(twins->second) + " are equal";
        });
    }

    // ---- objects

    /// The position of a name in a sorted part of Program::names; `none` where it is not there.
    std::uint32_t find_name(Range range, std::string_view text) const noexcept {
        auto const names = std::span(program_.names).subspan(range.begin, range.size());
        std::size_t low = 0;
        std::size_t high = names.size();
        while (low < high) {
            std::size_t const middle = (low + high) / 2;
            if (name_less(names[middle].text, text)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == names.size() || names[low].text != text) return none;
        return static_cast<std::uint32_t>(low);
    }

    bool object(Node const& node, Instance const& in, Bits* evaluated, Frame frame) {
        ObjectRules const& rules = program_.objects[node.object];
        std::size_t const size = in.size();
        auto const wrong_size = [&](Keyword keyword, std::string_view words, std::uint64_t bound) {
            return fail(node, keyword, frame, [&] {
                return "must have " + std::string(words) +
                       counted(bound, "property", "properties") + ", has " + std::to_string(size);
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
        if (done(ok)) return false;
        for (auto i = rules.required.begin; i < rules.required.end; ++i) {
            std::uint32_t const name = program_.lists[i];
            if (present.test(name)) continue;
            ok = fail(node, Keyword::required, frame, [&] {
                return "missing required property " +
                       quoted(program_.names[rules.names.begin + name].text);
            });
            if (done(ok)) return false;
        }
        for (auto i = rules.dependencies.begin; i < rules.dependencies.end && !done(ok); ++i) {
            Dependency const& dependency = program_.dependencies[i];
            if (!present.test(dependency.trigger)) continue;
            ok &= depend(node, rules, dependency, present, in, evaluated, frame);
        }
        return ok;
    }

    bool member(Node const& node, ObjectRules const& rules, Instance const& key,
                Instance const& value, Bits& present, bool& looked_at, Frame frame) {
        if (!charge(1)) return false;
        std::string scratch;
        auto const text = key.string(scratch);
        bool ok = true;
        if (auto const name = find_name(rules.names, text); name != none) {
            if (rules.tracks_presence) present.set(name);
            std::uint32_t const child = program_.names[rules.names.begin + name].node;
            if (child != none) {
                looked_at = true;
                ok = check_member(child, value, frame, text);
            }
        }
        for (auto i = rules.patterns.begin; i < rules.patterns.end; ++i) {
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
        if (rules.property_names != none && !done(ok)) {
            ok &= property_name(rules, key, text, frame);
        }
        return ok;
    }

    bool unknown_property(Node const& node, ObjectRules const& rules, std::string_view name,
                          Frame frame) {
        return fail(node, Keyword::additional_properties, frame, [&] {
            auto const names =
                std::span(program_.names).subspan(rules.names.begin, rules.names.size());
            std::string message = "unknown property " + quoted(name);
            auto const meant = closest_name(names, name);
            if (!meant.empty()) message += " (did you mean " + quoted(meant) + "?)";
            return message;
        });
    }

    bool property_name(ObjectRules const& rules, Instance const& key, std::string_view text,
                       Frame frame) {
        std::size_t const before = findings_.size();
        bool const ok = check(rules.property_names, key, nullptr, frame);
        if (!ok) {
            // The findings speak of a value at this place; say that they mean a name in it.
            for (std::size_t i = before; i < findings_.size(); ++i) {
                findings_[i].error.message =
                    "the property name " + quoted(text) + " " + findings_[i].error.message;
            }
        }
        return ok;
    }

    bool depend(Node const& node, ObjectRules const& rules, Dependency const& dependency,
                Bits const& present, Instance const& in, Bits* evaluated, Frame frame) {
        bool ok = true;
        auto const name_at = [&](std::uint32_t position) -> std::string_view {
            return program_.names[rules.names.begin + position].text;
        };
        for (auto i = dependency.names.begin; i < dependency.names.end; ++i) {
            std::uint32_t const name = program_.lists[i];
            if (present.test(name)) continue;
            ok = fail(node, dependency.keyword, frame, [&] {
                return "missing property " + quoted(name_at(name)) + ", required because " +
                       quoted(name_at(dependency.trigger)) + " is present";
            });
            if (done(ok)) return false;
        }
        return dependency.node == none ? ok : check(dependency.node, in, evaluated, frame) && ok;
    }

    // ---- keywords that apply subschemas to the same instance

    bool applicator(Node const& node, Applicator const& keyword, Instance const& in,
                    Bits* evaluated, Frame frame) {
        switch (keyword.op) {
            case Applicator::Op::always:
                return check(keyword.a, in, evaluated, frame);
            case Applicator::Op::dynamic:
                return check(dynamic_target(keyword, frame.scope), in, evaluated, frame);
            case Applicator::Op::any:
                return any_of(keyword, in, evaluated, frame);
            case Applicator::Op::exactly_one:
                return exactly_one(node, keyword, in, evaluated, frame);
            case Applicator::Op::negation:
                if (!probe(keyword.a, in, nullptr, frame)) return true;
                return fail(node, Keyword::negation, frame,
                            [&] { return "must not match the schema of \"not\"" + got(in); });
            case Applicator::Op::conditional:
                break;
        }
        std::uint32_t const next = probe(keyword.a, in, evaluated, frame) ? keyword.b : keyword.c;
        return next == none || check(next, in, evaluated, frame);
    }

    /// The outermost resource of the dynamic scope that has the anchor decides.
    std::uint32_t dynamic_target(Applicator const& keyword, Scope const* scope) {
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

    bool any_of(Applicator const& keyword, Instance const& in, Bits* evaluated, Frame frame) {
        bool ok = false;
        for (auto i = keyword.a; i < keyword.b && (!ok || evaluated != nullptr); ++i) {
            ok |= probe(program_.lists[i], in, evaluated, frame);
        }
        if (!ok) explain_closest(keyword, in, frame);
        return ok;
    }

    bool exactly_one(Node const& node, Applicator const& keyword, Instance const& in,
                     Bits* evaluated, Frame frame) {
        std::uint32_t first = none;
        for (auto i = keyword.a; i < keyword.b; ++i) {
            if (!probe(program_.lists[i], in, evaluated, frame)) continue;
            if (first != none) {
                return fail(node, Keyword::one_of, frame, [&] {
                    return "must match exactly one alternative of \"oneOf\", but matches " +
                           std::to_string(first - keyword.a + 1) + " and " +
                           std::to_string(i - keyword.a + 1);
                });
            }
            first = i;
        }
        if (first == none) explain_closest(keyword, in, frame);
        return first != none;
    }

    /// Reports the alternative that seems to have been meant: not one that already the type or a
    /// discriminating value rules out, and of the others the one with the fewest errors.
    void explain_closest(Applicator const& keyword, Instance const& in, Frame frame) {
        if (!reporting()) return;
        std::uint8_t types = 0;
        for (auto i = keyword.a; i < keyword.b; ++i) {
            types = static_cast<std::uint8_t>(types | program_.nodes[program_.lists[i]].types);
        }
        auto const& first_node = program_.nodes[program_.lists[keyword.a]];
        if (types != 0 && !accepts(types, in.kind(), in)) {
            fail(
                first_node, Keyword::type, frame,
                [&] { return "must be " + describe_types(types) + got(in); }, true);
            return;
        }
        std::vector<Finding> others;
        findings_.swap(others);
        std::vector<Finding> best;
        for (auto i = keyword.a; i < keyword.b; ++i) {
            check(program_.lists[i], in, nullptr, frame);
            if (best.empty() || closer(findings_, best, frame.path->depth)) best.swap(findings_);
            findings_.clear();
        }
        findings_.swap(others);
        for (auto& finding : best) {
            if (findings_.size() < program_.max_errors) findings_.push_back(std::move(finding));
        }
    }

    static bool closer(std::vector<Finding> const& a, std::vector<Finding> const& b,
                       std::size_t depth) {
        auto const distance = [&](std::vector<Finding> const& findings) {
            std::size_t worst = 0;
            for (auto const& finding : findings) {
                if (!finding.excludes) continue;
                if (finding.depth == depth) return std::size_t{2};
                if (finding.depth == depth + 1) worst = 1;
            }
            return worst;
        };
        if (a.empty()) return false;
        auto const far_a = distance(a);
        auto const far_b = distance(b);
        return far_a != far_b ? far_a < far_b : a.size() < b.size();
    }

    Program const& program_;
    std::uint64_t limit_;
    std::uint64_t steps_ = 0;
    std::size_t depth_ = 0;
    unsigned muted_ = 0;
    Verdict halted_ = Verdict::valid;
    std::vector<Finding> findings_;
};

template <class Instance>
Outcome decide_impl(Program const& program, Instance const& instance) {
    Run<Instance, false> run(program);
    auto const verdict = run.run(instance);
    return {verdict, run.steps()};
}

template <class Instance>
std::optional<ValidationFailure> find_failure_impl(Program const& program, Instance const& instance,
                                                   std::uint64_t& steps) {
    auto const outcome = decide_impl(program, instance);
    steps += outcome.steps;
    if (outcome.verdict == Verdict::valid) return std::nullopt;
    auto const root = [&](std::string message) {
        return ValidationError{{}, program.location(0, 0), {}, std::move(message)};
    };
    using Reason = ValidationFailure::Reason;
    if (outcome.verdict == Verdict::too_many_steps) {
        return ValidationFailure(
            Reason::too_many_steps,
            {root("validation takes more than " + std::to_string(program.max_steps) + " steps")});
    }
    if (outcome.verdict == Verdict::too_deep) {
        return ValidationFailure(Reason::too_deep,
                                 {root("validation is nested more than " +
                                       std::to_string(program.max_recursion) + " levels deep")});
    }
    Run<Instance, true> run(program);
    run.run(instance);
    auto errors = run.take_errors();
    // Saying why costs more than deciding and may itself run out of steps.
    if (errors.empty()) errors.push_back(root("does not match the schema"));
    return ValidationFailure(Reason::invalid, std::move(errors));
}

}  // namespace lanyard::schema

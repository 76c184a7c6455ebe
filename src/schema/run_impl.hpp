// The implementation of validation. It is instantiated twice for each kind of instance: once to
// decide, and once to collect the errors. This file contains the step limit, the reports, and the
// functions that apply one subschema.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "json/pointer.hpp"
#include "schema/bits.hpp"
#include "schema/explain.hpp"
#include "schema/run.hpp"

namespace lanyard::schema {

/// The path to a value inside the instance: a linked list on the stack, one element per step. It is
/// converted to a JSON Pointer on demand.
struct Path {
    Path const* parent;
    std::string_view key;
    std::size_t index;
    bool is_index;
    std::size_t depth;
};

/// The resources entered on the way to a subschema, as a linked list with the innermost first.
/// Needed for `$dynamicRef`.
struct Scope {
    Scope const* parent;
    std::uint32_t resource;
};

template <class Instance, bool collecting>
class Run {
public:
    explicit Run(Program const& program) noexcept : program_(program), limit_(program.max_steps) {}

    Validity run(std::uint32_t root, Instance const& instance) {
        Path const path{nullptr, {}, 0, false, 0};
        bool const valid = check(root, instance, nullptr, {nullptr, &path});
        if (halted_ != Validity::valid) return halted_;
        return valid ? Validity::valid : Validity::invalid;
    }

    std::uint64_t steps() const noexcept { return steps_; }

    std::vector<ValidationError> take_errors() {
        std::vector<ValidationError> out;
        for (auto& finding : findings_) out.push_back(std::move(finding.error));
        return out;
    }

private:
    /// The context that a subschema inherits from the subschema that applies it.
    struct Frame {
        Scope const* scope;
        Path const* path;
    };
    struct Finding {
        ValidationError error;
        std::size_t depth;  // nesting depth of the value in the instance
        bool excludes;      // the type or value shows that another alternative was meant
    };

    // ---- budgets

    void halt(Validity why) noexcept {
        if (halted_ == Validity::valid) halted_ = why;
        limit_ = 0;  // makes all checks in progress end at their next step
    }

    bool charge(std::uint64_t steps) noexcept {
        steps_ += steps;
        if (steps_ <= limit_) return true;
        halt(Validity::too_many_steps);
        return false;
    }

    bool charge_text(std::string_view text) noexcept { return charge(text.size() / 64); }

    // ---- reports

    bool reporting() const noexcept { return collecting && muted_ == 0; }

    /// Whether the remaining keywords of a subschema can be skipped.
    bool done(bool ok) const noexcept {
        return !ok && (!reporting() || findings_.size() >= program_.max_errors);
    }

    /// Reports the error that `message()` returns, if reporting is on. Always returns false.
    template <class Message>
    bool fail(SchemaNode const& node, std::string_view keyword, Frame frame, Message&& message,
              bool excludes = false) {
        if constexpr (collecting) {
            // Describing an error takes more time than finding it, so a description counts as 64
            // steps.
            constexpr std::uint64_t price = 64;
            if (reporting() && findings_.size() < program_.max_errors && charge(price)) {
                Finding finding{
                    {pointer(frame.path), program_.location(node.resource, node.place, keyword),
                     std::string(keyword), message()},
                    frame.path->depth,
                    excludes};
                charge((finding.error.instance.size() + finding.error.schema.size()) / 64);
                auto const same = [&](Finding const& f) { return f.error == finding.error; };
                if (std::none_of(findings_.begin(), findings_.end(), same)) {
                    findings_.push_back(std::move(finding));
                }
            }
        }
        return false;
    }

    template <class Message>
    bool fail(SchemaNode const& node, Keyword keyword, Frame frame, Message&& message,
              bool excludes = false) {
        return fail(node, name_of(keyword), frame, message, excludes);
    }

    static std::string pointer(Path const* path) {
        std::vector<Path const*> steps;
        for (; path->parent != nullptr; path = path->parent) steps.push_back(path);
        std::string out;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            if ((*step)->is_index) {
                out.append("/").append(std::to_string((*step)->index));
            } else {
                json::append_pointer_step(out, (*step)->key);
            }
        }
        return out;
    }

    std::string got(Instance const& in) {
        std::string scratch;
        switch (in.kind()) {
            case json::Kind::null:
                return ", got null";
            case json::Kind::boolean:
                return in.boolean() ? ", got true" : ", got false";
            case json::Kind::array:
                return ", got an array";
            case json::Kind::object:
                return ", got an object";
            case json::Kind::string:
                charge_text(in.string(scratch));
                return ", got " + quoted(in.string(scratch));
            case json::Kind::integer:
            case json::Kind::unsigned_integer:
            case json::Kind::real:
                break;
        }
        return ", got " + describe(in.number().to_json());
    }

    // ---- subschemas

    bool check(std::uint32_t id, Instance const& in, Bits* evaluated, Frame frame);
    bool apply(SchemaNode const& node, json::Kind kind, Instance const& in, Bits* evaluated,
               Frame frame);
    bool apply_closed(SchemaNode const& node, json::Kind kind, std::uint32_t closed,
                      Instance const& in, Bits* evaluated, Frame frame);
    bool probe(std::uint32_t id, Instance const& in, Bits* evaluated, Frame frame);
    bool check_child(std::uint32_t id, Instance const& in, Frame frame, Path const& path);
    bool check_element(std::uint32_t id, Instance const& in, Frame frame, std::size_t index) {
        return check_child(id, in, frame, {frame.path, {}, index, true, frame.path->depth + 1});
    }
    bool check_member(std::uint32_t id, Instance const& in, Frame frame, std::string_view key) {
        return check_child(id, in, frame, {frame.path, key, 0, false, frame.path->depth + 1});
    }

    // ---- types, choices, numbers and strings: run_values.hpp

    static bool accepts(std::uint8_t types, json::Kind kind, Instance const& in);
    bool wrong_type(SchemaNode const& node, Instance const& in, Frame frame);
    bool is_choice(std::uint32_t choices, Instance const& in);
    bool wrong_choice(SchemaNode const& node, Keyword keyword, std::uint32_t choices,
                      Instance const& in, Frame frame);
    std::span<Json const> values_of(std::uint32_t choices) const noexcept;
    bool equal(Instance const& in, Json const& value);
    bool equal_arrays(Instance const& in, Json const& value);
    bool equal_objects(Instance const& in, Json const& value);
    bool number(SchemaNode const& node, Instance const& in, Frame frame);
    bool string(SchemaNode const& node, Instance const& in, Frame frame);
    bool length(SchemaNode const& node, StringRules const& rules, std::string_view text,
                Frame frame);
    bool matches(std::uint32_t pattern, std::string_view text);

    // ---- arrays and objects: run_containers.hpp

    bool array(SchemaNode const& node, Instance const& in, Bits* evaluated, Frame frame);
    bool elements(SchemaNode const& node, ArrayRules const& rules, Instance const& in,
                  Bits* evaluated, Frame frame);
    bool contains(SchemaNode const& node, ArrayRules const& rules, Instance const& in,
                  Bits* evaluated, Frame frame);
    bool unique(SchemaNode const& node, Instance const& in, Frame frame);
    std::uint32_t find_name(Range range, std::string_view text) const noexcept;
    bool object(SchemaNode const& node, Instance const& in, Bits* evaluated, Frame frame);
    bool member(SchemaNode const& node, ObjectRules const& rules, Instance const& key,
                Instance const& value, Bits& present, bool& looked_at, Frame frame);
    bool required(SchemaNode const& node, ObjectRules const& rules, Bits const& present,
                  Frame frame);
    bool unknown_property(SchemaNode const& node, ObjectRules const& rules, std::string_view name,
                          Frame frame);
    bool property_name(ObjectRules const& rules, Instance const& key, std::string_view text,
                       Frame frame);
    bool depend(SchemaNode const& node, ObjectRules const& rules, Dependency const& dependency,
                Bits const& present, Instance const& in, Bits* evaluated, Frame frame);

    // ---- keywords that apply subschemas to the same value: run_applicators.hpp

    bool applicator(SchemaNode const& node, Applicator const& keyword, Instance const& in,
                    Bits* evaluated, Frame frame);
    std::uint32_t dynamic_target(Applicator const& keyword, Scope const* scope);
    bool any_of(SchemaNode const& node, Applicator const& keyword, Instance const& in,
                Bits* evaluated, Frame frame);
    bool one_of(SchemaNode const& node, Applicator const& keyword, Instance const& in,
                Bits* evaluated, Frame frame);
    void explain_alternatives(SchemaNode const& node, Keyword keyword,
                              std::span<std::uint32_t const> alternatives, Instance const& in,
                              Frame frame);
    void explain_closest(SchemaNode const& node, Keyword keyword,
                         std::span<std::uint32_t const> alternatives, Instance const& in,
                         Frame frame);
    static std::string describe_ties(std::vector<std::vector<Finding>> const& alternatives,
                                     std::string const& place);
    static bool closer(std::vector<Finding> const& a, std::vector<Finding> const& b,
                       std::size_t depth);

    Program const& program_;
    std::uint64_t limit_;
    std::uint64_t steps_ = 0;
    std::size_t depth_ = 0;
    unsigned muted_ = 0;
    Validity halted_ = Validity::valid;
    std::vector<Finding> findings_;
};

/// Applies a node to a value. If `evaluated` is given, sets the bits of the members or elements
/// that the node has evaluated.
template <class Instance, bool collecting>
bool Run<Instance, collecting>::check(std::uint32_t id, Instance const& in, Bits* evaluated,
                                      Frame frame) {
    if (!charge(1)) return false;
    if (depth_ >= program_.max_recursion) {
        halt(Validity::too_deep);
        return false;
    }
    SchemaNode const& node = program_.nodes[id];
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

template <class Instance, bool collecting>
bool Run<Instance, collecting>::check_child(std::uint32_t id, Instance const& in, Frame frame,
                                            Path const& path) {
    SchemaNode const& node = program_.nodes[id];
    if (node.only_types && accepts(node.types, in.kind(), in)) return charge(1);
    return check(id, in, nullptr, {frame.scope, &path});
}

/// Like check(), but reports nothing: for subschemas whose failure is not an error by itself.
template <class Instance, bool collecting>
bool Run<Instance, collecting>::probe(std::uint32_t id, Instance const& in, Bits* evaluated,
                                      Frame frame) {
    ++muted_;
    bool ok = false;
    if (evaluated == nullptr) {
        ok = check(id, in, nullptr, frame);
    } else {
        // Members evaluated by a subschema that fails do not count.
        Bits own(evaluated->size());
        ok = charge(own.words()) && check(id, in, &own, frame);
        if (ok) evaluated->merge(own);
    }
    --muted_;
    return ok;
}

template <class Instance, bool collecting>
bool Run<Instance, collecting>::apply(SchemaNode const& node, json::Kind kind, Instance const& in,
                                      Bits* evaluated, Frame frame) {
    if (!accepts(node.types, kind, in)) return wrong_type(node, in, frame);
    bool ok = true;
    if (node.constant != none && !is_choice(node.constant, in)) {
        ok = wrong_choice(node, Keyword::constant, node.constant, in, frame);
    }
    if (node.enumeration != none && !is_choice(node.enumeration, in)) {
        ok = wrong_choice(node, Keyword::enumeration, node.enumeration, in, frame);
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

/// Like apply(), but for a node with `unevaluatedItems` or `unevaluatedProperties`; `closed` is the
/// node of that keyword.
template <class Instance, bool collecting>
bool Run<Instance, collecting>::apply_closed(SchemaNode const& node, json::Kind kind,
                                             std::uint32_t closed, Instance const& in,
                                             Bits* evaluated, Frame frame) {
    Bits own(in.size());
    if (!charge(in.size())) return false;
    bool ok = apply(node, kind, in, &own, frame);
    if (done(ok)) return false;
    bool const refuses = program_.nodes[closed].refuses_all();
    std::size_t at = 0;
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
    // By now every member or element has been evaluated: `unevaluatedProperties` or
    // `unevaluatedItems` has evaluated those that no other keyword of this node has. The set bits
    // tell this to the node that applies this node.
    if (evaluated != nullptr) evaluated->set_all();
    return ok;
}

}  // namespace lanyard::schema

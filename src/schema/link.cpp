#include "schema/link.hpp"

#include <vector>

namespace lanyard::schema {
namespace {

using Op = Applicator::Op;

/// Calls f with every node that `node` applies to the same instance, except the targets of
/// `$dynamicRef`, which are known only when the program runs.
template <class F>
void each_successor(Program const& program, SchemaNode const& node, F&& f) {
    auto const visit = [&](std::uint32_t id) {
        if (id != none) f(id);
    };
    for (auto i = node.applicators.begin; i < node.applicators.end; ++i) {
        Applicator const& applicator = program.applicators[i];
        switch (applicator.op) {
            case Op::dynamic:
                break;
            case Op::any:
            case Op::exactly_one:
                for (auto j = applicator.a; j < applicator.b; ++j) visit(program.lists[j]);
                break;
            case Op::always:
            case Op::negation:
            case Op::conditional:
                visit(applicator.a);
                visit(applicator.b);
                visit(applicator.c);
                break;
        }
    }
    if (node.object == none) return;
    auto const& dependencies = program.objects[node.object].dependencies;
    for (auto i = dependencies.begin; i < dependencies.end; ++i) {
        visit(program.dependencies[i].node);
    }
}

std::optional<std::uint32_t> find_cycle(Program const& program) {
    enum class State : std::uint8_t { fresh, open, closed };
    std::vector<State> states(program.nodes.size(), State::fresh);
    std::vector<std::uint32_t> stack;
    std::optional<std::uint32_t> cycle;
    for (std::uint32_t start = 0; start < states.size(); ++start) {
        stack.push_back(start);
        while (!stack.empty()) {
            std::uint32_t const id = stack.back();
            if (states[id] != State::fresh) {
                // Either the successors of this node have been processed now, or the node was on
                // the stack twice and was processed before.
                states[id] = State::closed;
                stack.pop_back();
                continue;
            }
            states[id] = State::open;
            each_successor(program, program.nodes[id], [&](std::uint32_t next) {
                if (states[next] == State::open) cycle = next;
                if (states[next] == State::fresh) stack.push_back(next);
            });
            if (cycle) return cycle;
        }
    }
    return std::nullopt;
}

/// Maps each node to the node to use in its place.
class Shortcuts {
public:
    explicit Shortcuts(Program const& program) {
        for (std::uint32_t i = 0; i < program.nodes.size(); ++i)
            targets_.push_back(target(program, i));
    }

    void apply(std::uint32_t& id) const {
        if (id != none) id = targets_[id];
    }

private:
    static bool only_refers(Program const& program, SchemaNode const& node) {
        if (node.types != type_any || node.applicators.size() != 1) return false;
        SchemaNode rest = node;
        rest.applicators = {};
        return program.applicators[node.applicators.begin].op == Op::always &&
               rest.has_only_types();
    }

    static std::uint32_t target(Program const& program, std::uint32_t id) {
        // Follows at most 8 references of a chain, so that this takes linear time. In a longer
        // chain, the other references stay as they are.
        for (int hops = 0; hops < 8 && only_refers(program, program.nodes[id]); ++hops) {
            id = program.applicators[program.nodes[id].applicators.begin].a;
        }
        return id;
    }

    std::vector<std::uint32_t> targets_;
};

void skip_references(Program& program) {
    Shortcuts const shortcuts(program);
    for (auto& applicator : program.applicators) {
        switch (applicator.op) {
            case Op::dynamic:
                break;
            case Op::any:
            case Op::exactly_one:
                for (auto i = applicator.a; i < applicator.b; ++i)
                    shortcuts.apply(program.lists[i]);
                break;
            case Op::always:
            case Op::negation:
            case Op::conditional:
                shortcuts.apply(applicator.a);
                shortcuts.apply(applicator.b);
                shortcuts.apply(applicator.c);
                break;
        }
    }
    for (auto& rules : program.arrays) {
        for (auto i = rules.prefix.begin; i < rules.prefix.end; ++i) {
            shortcuts.apply(program.lists[i]);
        }
        shortcuts.apply(rules.rest);
        shortcuts.apply(rules.contains);
    }
    for (auto& rules : program.objects) {
        shortcuts.apply(rules.additional);
        shortcuts.apply(rules.property_names);
    }
    for (auto& name : program.names) shortcuts.apply(name.node);
    for (auto& rule : program.pattern_rules) shortcuts.apply(rule.node);
    for (auto& dependency : program.dependencies) shortcuts.apply(dependency.node);
    for (auto& node : program.nodes) {
        shortcuts.apply(node.unevaluated_items);
        shortcuts.apply(node.unevaluated_properties);
    }
}

}  // namespace

std::optional<std::uint32_t> link_program(Program& program) {
    auto const cycle = find_cycle(program);
    // With `$dynamicRef`, the result depends on the resources that references lead through, so no
    // reference may be skipped.
    if (!cycle && program.dynamic.empty()) skip_references(program);
    return cycle;
}

}  // namespace lanyard::schema

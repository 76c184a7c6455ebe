#include "uri_template/program.hpp"

#include <ranges>

namespace lanyard::uri_template {

namespace {

/// Builds the automaton from the end of the template to its beginning, because a node refers to its
/// successor.
class TemplateCompiler {
public:
    explicit TemplateCompiler(Syntax const& syntax) : syntax_(syntax) {}

    TemplateProgram run() {
        auto next = add({});
        std::uint32_t index = 0;
        for (auto const& part : syntax_.parts | std::views::reverse) {
            if (auto const* expression = std::get_if<Expression>(&part)) {
                expression_ = index;
                next =
                    expression->op->named ? named(*expression, next) : unnamed(*expression, next);
            } else {
                next = literal(std::get<std::string>(part), next);
            }
            ++index;
        }
        program_.start = next;
        return std::move(program_);
    }

private:
    NodeIndex add(TemplateNode node) {
        program_.nodes.push_back(std::move(node));
        return static_cast<NodeIndex>(program_.nodes.size() - 1);
    }

    NodeIndex literal(std::string text, NodeIndex next) {
        return add({.kind = TemplateNode::Kind::literal, .next = next, .text = std::move(text)});
    }

    NodeIndex literal(char c, NodeIndex next) { return literal(std::string(1, c), next); }

    /// Makes a node that tries `preferred` first and then `other`. If one of them is no_node,
    /// returns the other one.
    NodeIndex choice(NodeIndex preferred, NodeIndex other) {
        if (preferred == no_node || other == no_node)
            return preferred == no_node ? other : preferred;
        return add({.kind = TemplateNode::Kind::choice,
                    .memo = program_.memos++,
                    .next = preferred,
                    .other = other});
    }

    NodeIndex run(RunRole role, CharacterSet allowed, NodeIndex next) {
        return add({.kind = TemplateNode::Kind::run,
                    .role = role,
                    .allowed = allowed,
                    .occurrence = static_cast<std::uint32_t>(program_.occurrences.size() - 1),
                    .memo = program_.memos++,
                    .next = next});
    }

    void limit(NodeIndex index, std::uint16_t prefix) {
        if (prefix == 0) return;
        program_.nodes[index].limit = prefix;
        program_.nodes[index].memo = program_.limited_memos++;
    }

    void begin_occurrence(Variable const& variable, Operator const& op) {
        program_.occurrences.push_back({variable, &op, expression_});
    }

    /// Returns the characters that the text of a variable may contain. Without an explode or prefix
    /// modifier, the text may be a list, whose items are separated by commas.
    static CharacterSet characters_of(Variable const& variable, Operator const& op) noexcept {
        bool const list = !variable.explode && variable.prefix == 0;
        return static_cast<CharacterSet>(op.allowed | (list ? comma : no_characters));
    }

    // Makes the nodes for {a,b*}, which match values with the operator's separator between them.
    NodeIndex unnamed(Expression const& expression, NodeIndex exit) {
        auto const& op = *expression.op;
        auto later = no_node;  // the start of the nodes for the variables after the current one
        for (auto const& variable : expression.variables | std::views::reverse) {
            begin_occurrence(variable, op);
            auto const allowed = characters_of(variable, op);
            auto begin = no_node;
            if (variable.explode) {
                begin = repeated(op, later, exit, [&](NodeIndex after) {
                    return run(RunRole::item, allowed, after);
                });
                stop_at_separator(begin, op);
                // If '=' is not among the allowed characters, pairs (key=value) need separate
                // nodes.
                if (!op.allows_reserved()) {
                    auto const pairs = repeated(op, later, exit, [&](NodeIndex after) {
                        auto const value = run(RunRole::value, allowed, after);
                        return run(RunRole::key, allowed, literal('=', value));
                    });
                    begin = choice(begin, pairs);
                }
            } else {
                auto const more = later == no_node ? no_node : literal(op.separator, later);
                begin = run(RunRole::item, allowed, choice(more, exit));
                limit(begin, variable.prefix);
                if (later != no_node) stop_at_separator(begin, op);
            }
            later = choice(begin, later);
        }
        return choice(op.first.empty() ? later : literal(std::string(op.first), later), exit);
    }

    void stop_at_separator(NodeIndex index, Operator const& op) {
        if (is(op.separator, program_.nodes[index].allowed))
            program_.nodes[index].stop = op.separator;
    }

    /// Makes nodes that match one or more items, with separators between them. After the items, the
    /// search continues with `later` (after another separator) or with `exit`.
    template <class MakeItem>
    NodeIndex repeated(Operator const& op, NodeIndex later, NodeIndex exit, MakeItem make_item) {
        auto const separator = literal(op.separator, no_node);
        auto const item = make_item(choice(separator, exit));
        auto const again = choice(item, later);
        program_.nodes[separator].next = again;
        return item;
    }

    // Makes the nodes for {?a,b*}, which match name=value pairs. An exploded variable accepts pairs
    // with any name, but a variable whose own name matches has precedence. So by_name is tried
    // before by_any_name.
    NodeIndex named(Expression const& expression, NodeIndex exit) {
        auto const& op = *expression.op;
        auto by_name = no_node;
        auto by_any_name = no_node;
        for (auto const& variable : expression.variables | std::views::reverse) {
            begin_occurrence(variable, op);
            auto const& name = syntax_.names[variable.name];
            if (variable.explode) {
                auto const separator = literal(op.separator, no_node);
                auto const after = choice(separator, exit);
                auto const own = literal(name, named_value(RunRole::item, variable, op, after));
                auto const pair =
                    run(RunRole::key, op.allowed, named_value(RunRole::value, variable, op, after));
                by_name = choice(own, by_name);
                by_any_name = choice(pair, by_any_name);
                auto const again = choice(by_name, by_any_name);
                program_.nodes[separator].next = again;
            } else {
                auto const later = choice(by_name, by_any_name);
                auto const more = later == no_node ? no_node : literal(op.separator, later);
                auto const after = choice(more, exit);
                by_name =
                    choice(literal(name, named_value(RunRole::item, variable, op, after)), by_name);
            }
        }
        return choice(literal(std::string(op.first), choice(by_name, by_any_name)), exit);
    }

    /// Makes nodes that match the text after a name: "=value", or the operator's form of an empty
    /// value.
    NodeIndex named_value(RunRole role, Variable const& variable, Operator const& op,
                          NodeIndex after) {
        auto const value = run(role, characters_of(variable, op), after);
        limit(value, variable.prefix);
        auto const equals = literal('=', value);
        if (!op.if_empty.empty()) return equals;
        program_.nodes[value].needs_character = true;
        return choice(equals, run(role, no_characters, after));
    }

    Syntax const& syntax_;
    std::uint32_t expression_ = 0;
    TemplateProgram program_;
};

}  // namespace

TemplateProgram compile(Syntax const& syntax) {
    return TemplateCompiler(syntax).run();
}

}  // namespace lanyard::uri_template

#include "schema/compiler.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "base/uri.hpp"
#include "schema/explain.hpp"
#include "schema/keywords.hpp"
#include "schema/link.hpp"
#include "schema/meta_schemas.hpp"
#include "schema/registry.hpp"

namespace lanyard::schema {
namespace {

template <class T>
std::uint32_t append(std::vector<T>& table, T value) {
    table.push_back(std::move(value));
    return static_cast<std::uint32_t>(table.size() - 1);
}

template <class T>
Range append_all(std::vector<T>& table, std::vector<T> const& entries) {
    auto const begin = static_cast<std::uint32_t>(table.size());
    table.insert(table.end(), entries.begin(), entries.end());
    return {begin, static_cast<std::uint32_t>(table.size())};
}

/// The maximum number of instructions of all patterns of a schema together. Compiling this many
/// takes about half a second.
constexpr std::size_t max_pattern_size = 1'000'000;

/// The property names that the keywords of one schema object refer to.
class NameTable {
public:
    void add(std::string_view name) { names_.try_emplace(name); }
    void add(std::string_view name, std::uint32_t node) { names_[name].node = node; }

    Range store(std::vector<Name>& table) {
        std::vector<Name> out;
        for (auto& [text, entry] : names_) {
            entry.position = append(out, {std::string(text), entry.node});
        }
        return append_all(table, out);
    }
    /// Returns the position of a name within the stored names.
    std::uint32_t position(std::string_view name) const {
        return names_.find(name)->second.position;
    }
    std::vector<std::uint32_t> positions(std::vector<std::string_view> const& names) const {
        std::vector<std::uint32_t> out;
        for (auto const name : names) out.push_back(position(name));
        return out;
    }

private:
    struct Entry {
        std::uint32_t node = none;
        std::uint32_t position = none;
    };
    struct Less {
        bool operator()(std::string_view a, std::string_view b) const noexcept {
            return name_less(a, b);
        }
    };
    std::map<std::string_view, Entry, Less> names_;
};

class Compiler {
public:
    Compiler(Options const& options, MetaCheck check)
        : options_(options), registry_(options, diagnosis_, check) {}

    Result<std::shared_ptr<Program const>, SchemaError> run(std::string const& uri,
                                                            Json const& schema) {
        if (registry_.add_document(uri, schema)) {
            // The whole schema is compiled, even unreferenced parts, so that mistakes in them are
            // reported. Of other documents only the referenced parts are compiled.
            auto const own = registry_.sites();
            for (Site const& site : own) node_for(site);
            compile_pending();
        }
        if (!diagnosis_.failed()) finish();
        if (diagnosis_.failed()) return Unexpected(diagnosis_.take());
        return std::make_shared<Program const>(std::move(program_));
    }

private:
    // ---- nodes

    /// Returns the number of a subschema's node. The node itself may be compiled later.
    std::uint32_t node_for(Site const& site) {
        auto const next = static_cast<std::uint32_t>(program_.nodes.size());
        auto const [at, added] = node_of_.try_emplace(site.schema, next);
        if (added) {
            SchemaNode node;
            node.resource = site.resource;
            node.place = site.place;
            program_.nodes.push_back(node);
            pending_.push_back(site);
        }
        return at->second;
    }

    /// Returns the node of a schema that is the value of a keyword. The registry must have scanned
    /// that schema.
    std::uint32_t child(Json const& schema) { return node_for(*registry_.find(&schema)); }

    std::uint32_t child(Keywords const& keywords, Keyword keyword) {
        auto const* value = keywords[keyword];
        return value == nullptr ? none : child(*value);
    }

    Range children(JsonArray const& schemas) {
        std::vector<std::uint32_t> nodes;
        for (auto const& schema : schemas) nodes.push_back(child(schema));
        return append_all(program_.lists, nodes);
    }

    void compile_pending() {
        do {
            // The node with number i belongs to pending_[i].
            for (; compiled_ < pending_.size() && !diagnosis_.failed(); ++compiled_) {
                Site const site = pending_[compiled_];
                SchemaNode const node = compile(site, program_.nodes[compiled_]);
                program_.nodes[compiled_] = node;
            }
        } while (!diagnosis_.failed() && add_dynamic_targets());
    }

    SchemaNode compile(Site const& site, SchemaNode node) {
        ++program_.compile_steps;
        if (auto const* value = site.schema->if_bool()) {
            node.types = *value ? type_any : 0;
            return node;
        }
        if (!site.schema->is_object()) {
            diagnosis_.fail(
                registry_.location(site),
                "a schema must be an object or a boolean, got " + describe(*site.schema));
            return node;
        }
        program_.compile_steps += site.schema->get_object().size();
        Keywords const keywords(site, registry_, diagnosis_);
        node.types = types(keywords);
        if (auto const* value = keywords[Keyword::constant]) node.constant = choices({value, 1});
        if (auto const* values = keywords.array(Keyword::enumeration)) {
            node.enumeration = choices({values->data(), values->size()});
        }
        node.number = number(keywords);
        node.string = string(keywords);
        node.array = array(keywords);
        node.object = object(keywords);
        node.applicators = append_all(program_.applicators, applicators(keywords));
        node.unevaluated_items = child(keywords, Keyword::unevaluated_items);
        node.unevaluated_properties = child(keywords, Keyword::unevaluated_properties);
        node.only_types = node.has_only_types();
        return node;
    }

    // ---- rules for a kind of value

    static std::uint8_t types(Keywords const& keywords) {
        auto const* value = keywords[Keyword::type];
        if (value == nullptr) return type_any;
        std::uint8_t out = 0;
        auto const add = [&](Json const& name) {
            auto const bits = name.is_string() ? type_bits(name.get_string()) : std::uint8_t{0};
            if (bits == 0) keywords.wrong(Keyword::type, "the name of a type", name);
            out = static_cast<std::uint8_t>(out | bits);
        };
        if (auto const* names = value->if_array()) {
            for (auto const& name : *names) add(name);
        } else {
            add(*value);
        }
        return out;
    }

    std::uint32_t choices(std::span<Json const> values) {
        Choices rules;
        auto const begin = static_cast<std::uint32_t>(program_.values.size());
        std::vector<std::string_view> texts;
        std::vector<std::uint32_t> others;
        for (auto const& value : values) {
            auto const position = append(program_.values, Json(value));
            if (auto const* text = value.if_string()) {
                texts.push_back(*text);
            } else {
                others.push_back(position);
            }
        }
        std::sort(texts.begin(), texts.end(), name_less);
        std::vector<Name> names;
        for (auto const text : texts) names.push_back({std::string(text), none});
        rules.values = {begin, static_cast<std::uint32_t>(program_.values.size())};
        rules.strings = append_all(program_.names, names);
        rules.others = append_all(program_.lists, others);
        program_.compile_steps += values.size();
        return append(program_.choices, rules);
    }

    std::uint32_t number(Keywords const& keywords) {
        NumberRules rules;
        auto const bound = [&](Keyword keyword, NumberRules::Bound bit, NumericValue& out) {
            auto const value = keywords.number(keyword);
            if (!value) return;
            rules.bounds = static_cast<std::uint8_t>(rules.bounds | bit);
            out = *value;
        };
        bound(Keyword::minimum, NumberRules::minimum, rules.minimum_value);
        bound(Keyword::exclusive_minimum, NumberRules::exclusive_minimum,
              rules.exclusive_minimum_value);
        bound(Keyword::maximum, NumberRules::maximum, rules.maximum_value);
        bound(Keyword::exclusive_maximum, NumberRules::exclusive_maximum,
              rules.exclusive_maximum_value);
        bound(Keyword::multiple_of, NumberRules::multiple, rules.multiple_of);
        if (rules.bounds == 0) return none;
        if ((rules.bounds & NumberRules::multiple) != 0 && rules.multiple_of <= NumericValue()) {
            keywords.wrong(Keyword::multiple_of, "more than 0", *keywords[Keyword::multiple_of]);
        }
        return append(program_.numbers, rules);
    }

    std::uint32_t pattern(Keywords const& keywords, Keyword keyword, std::string_view text) {
        auto compiled = Pattern::compile(text);
        if (!compiled) {
            keywords.fail(keyword, "the pattern " + quoted(text) +
                                       " cannot be used: " + std::move(compiled).error());
            return none;
        }
        pattern_size_ += compiled->size();
        if (pattern_size_ > max_pattern_size) {
            keywords.fail(keyword, "the patterns of this schema are too large together");
            return none;
        }
        program_.pattern_texts.emplace_back(text);
        return append(program_.patterns, *std::move(compiled));
    }

    std::uint32_t string(Keywords const& keywords) {
        StringRules rules;
        rules.min_length = keywords.count(Keyword::min_length).value_or(0);
        rules.max_length = keywords.count(Keyword::max_length).value_or(unlimited);
        if (auto const text = keywords.text(Keyword::pattern)) {
            rules.pattern = pattern(keywords, Keyword::pattern, *text);
        }
        bool const asserts =
            options_.assert_formats() || (keywords.dialect().vocabularies & format_assertion) != 0;
        if (auto const name = keywords.text(Keyword::format); name && asserts) {
            rules.format = find_format(*name);
            rules.format_name = append(program_.names, {std::string(*name), none});
        }
        bool const empty = rules.min_length == 0 && rules.max_length == unlimited &&
                           rules.pattern == none && rules.format == nullptr;
        return empty ? none : append(program_.strings, rules);
    }

    std::uint32_t array(Keywords const& keywords) {
        if (!keywords.any({Keyword::min_items, Keyword::max_items, Keyword::prefix_items,
                           Keyword::items, Keyword::contains, Keyword::unique_items})) {
            return none;
        }
        ArrayRules rules;
        rules.min_items = keywords.count(Keyword::min_items).value_or(0);
        rules.max_items = keywords.count(Keyword::max_items).value_or(unlimited);
        auto const* items = keywords[Keyword::items];
        if (items == nullptr || !items->is_array()) {
            rules.rest = child(keywords, Keyword::items);
        } else if (keywords.dialect().draft == Draft::draft_07) {
            rules.prefix = children(items->get_array());
            rules.rest = child(keywords, Keyword::additional_items);
            rules.rest_keyword = Keyword::additional_items;
        } else {
            keywords.wrong(Keyword::items, "a schema", *items);
        }
        if (auto const* prefix = keywords.array(Keyword::prefix_items)) {
            rules.prefix = children(*prefix);
        }
        rules.contains = child(keywords, Keyword::contains);
        rules.min_contains = keywords.count(Keyword::min_contains).value_or(1);
        rules.max_contains = keywords.count(Keyword::max_contains).value_or(unlimited);
        rules.unique = keywords.flag(Keyword::unique_items);
        return append(program_.arrays, rules);
    }

    // ---- objects

    /// A Dependency whose names are not yet replaced by their positions.
    struct NamedDependency {
        std::string_view trigger;
        Keyword keyword;
        std::vector<std::string_view> names;
        std::uint32_t node;
    };

    std::uint32_t object(Keywords const& keywords) {
        if (!keywords.any({Keyword::min_properties, Keyword::max_properties, Keyword::properties,
                           Keyword::pattern_properties, Keyword::additional_properties,
                           Keyword::property_names, Keyword::required, Keyword::dependent_required,
                           Keyword::dependent_schemas, Keyword::dependencies})) {
            return none;
        }
        ObjectRules rules;
        rules.min_properties = keywords.count(Keyword::min_properties).value_or(0);
        rules.max_properties = keywords.count(Keyword::max_properties).value_or(unlimited);
        rules.additional = child(keywords, Keyword::additional_properties);
        rules.property_names = child(keywords, Keyword::property_names);
        rules.patterns = append_all(program_.pattern_rules, pattern_rules(keywords));

        NameTable names;
        if (auto const* properties = keywords.object(Keyword::properties)) {
            for (auto const& member : *properties) names.add(member.key(), child(member.value()));
        }
        std::vector<std::string_view> required;
        if (auto const* value = keywords[Keyword::required]) {
            required = keywords.names(Keyword::required, *value);
        }
        for (auto const name : required) names.add(name);
        auto const dependencies = named_dependencies(keywords);
        for (auto const& dependency : dependencies) {
            names.add(dependency.trigger);
            for (auto const name : dependency.names) names.add(name);
        }

        rules.names = names.store(program_.names);
        rules.required = append_all(program_.lists, names.positions(required));
        std::vector<Dependency> stored;
        for (auto const& dependency : dependencies) {
            stored.push_back({names.position(dependency.trigger), dependency.keyword,
                              append_all(program_.lists, names.positions(dependency.names)),
                              dependency.node});
        }
        rules.dependencies = append_all(program_.dependencies, stored);
        rules.tracks_presence = !required.empty() || !dependencies.empty();
        program_.compile_steps += rules.names.size() + rules.required.size();
        return append(program_.objects, rules);
    }

    std::vector<PatternRule> pattern_rules(Keywords const& keywords) {
        std::vector<PatternRule> out;
        if (auto const* members = keywords.object(Keyword::pattern_properties)) {
            for (auto const& member : *members) {
                out.push_back({pattern(keywords, Keyword::pattern_properties, member.key()),
                               child(member.value())});
            }
        }
        return out;
    }

    std::vector<NamedDependency> named_dependencies(Keywords const& keywords) {
        std::vector<NamedDependency> out;
        for (Keyword const keyword :
             {Keyword::dependent_required, Keyword::dependent_schemas, Keyword::dependencies}) {
            auto const* members = keywords.object(keyword);
            if (members == nullptr) continue;
            for (auto const& [trigger, value] : *members) {
                bool const is_list = keyword == Keyword::dependent_required ||
                                     (keyword == Keyword::dependencies && value.is_array());
                if (is_list) {
                    out.push_back({trigger, keyword, keywords.names(keyword, value), none});
                } else {
                    out.push_back({trigger, keyword, {}, child(value)});
                }
            }
        }
        return out;
    }

    // ---- keywords that apply subschemas to the value itself

    std::vector<Applicator> applicators(Keywords const& keywords) {
        using Op = Applicator::Op;
        std::vector<Applicator> out;
        if (auto const reference = keywords.text(Keyword::ref)) {
            if (auto const target = registry_.resolve(keywords.site(), Keyword::ref, *reference)) {
                out.push_back({Op::always, node_for(*target)});
            }
        }
        if (auto const reference = keywords.text(Keyword::dynamic_ref)) {
            auto const target =
                registry_.resolve(keywords.site(), Keyword::dynamic_ref, *reference);
            if (target) out.push_back(dynamic_reference(*target, *reference));
        }
        if (auto const* schemas = keywords.array(Keyword::all_of)) {
            for (auto const& schema : *schemas) out.push_back({Op::always, child(schema)});
        }
        for (auto const& [keyword, op] :
             {std::pair(Keyword::any_of, Op::any), std::pair(Keyword::one_of, Op::exactly_one)}) {
            if (auto const* schemas = keywords.array(keyword)) {
                auto const range = children(*schemas);
                out.push_back({op, range.begin, range.end});
            }
        }
        if (keywords[Keyword::negation] != nullptr) {
            out.push_back({Op::negation, child(keywords, Keyword::negation)});
        }
        if (keywords[Keyword::condition] != nullptr) {
            out.push_back({Op::conditional, child(keywords, Keyword::condition),
                           child(keywords, Keyword::consequence),
                           child(keywords, Keyword::alternative)});
        }
        return out;
    }

    // `$dynamicRef` acts like `$ref`, unless its fragment is the name of a `$dynamicAnchor` in the
    // resource that it refers to.
    Applicator dynamic_reference(Site const& target, std::string_view reference) {
        auto const name = split_fragment(reference).fragment;
        auto const& anchors = registry_.resource(target.resource).dynamic_anchors;
        auto const at = anchors.find(name);
        if (at == anchors.end()) return {Applicator::Op::always, node_for(target)};
        auto const next = static_cast<std::uint32_t>(program_.dynamic.size());
        auto const [slot, added] = dynamic_names_.try_emplace(at->first, next);
        if (added) program_.dynamic.emplace_back();
        return {Applicator::Op::dynamic, node_for(target), slot->second};
    }

    // Adds the nodes that `$dynamicRef` may refer to: the dynamic anchors of every resource that
    // has compiled nodes, because such a resource may be in the dynamic scope. Returns true if new
    // nodes must be compiled.
    bool add_dynamic_targets() {
        std::vector<bool> used(registry_.resources().size());
        for (SchemaNode const& node : program_.nodes) used[node.resource] = true;
        for (auto& anchor : program_.dynamic) anchor.entries.clear();
        for (std::uint32_t i = 0; i < used.size(); ++i) {
            if (!used[i]) continue;
            for (auto const& [name, schema] : registry_.resource(i).dynamic_anchors) {
                auto const at = dynamic_names_.find(name);
                if (at == dynamic_names_.end()) continue;
                program_.dynamic[at->second].entries.push_back({i, child(*schema)});
            }
        }
        return compiled_ < pending_.size();
    }

    void finish() {
        program_.places = registry_.take_places();
        for (auto const& resource : registry_.resources()) {
            program_.resources.push_back(resource.uri);
        }
        program_.compile_steps += registry_.steps();
        program_.max_steps = options_.max_steps();
        program_.max_recursion = options_.max_recursion();
        program_.max_errors = std::max<std::size_t>(options_.max_errors(), 1);
        if (auto const cycle = link_program(program_)) {
            SchemaNode const& node = program_.nodes[*cycle];
            diagnosis_.fail(program_.location(node.resource, node.place),
                            "the schema refers to itself without going deeper into the instance, "
                            "so validation would never end");
        }
    }

    Options const& options_;
    Diagnosis diagnosis_;
    Registry registry_;
    Program program_;
    std::size_t pattern_size_ = 0;  // number of instructions of all patterns
    std::unordered_map<Json const*, std::uint32_t> node_of_;
    std::vector<Site> pending_;
    std::size_t compiled_ = 0;
    std::map<std::string_view, std::uint32_t> dynamic_names_;  // index in Program::dynamic
};

}  // namespace

Result<std::shared_ptr<Program const>, SchemaError> compile_program(std::string const& uri,
                                                                    Json const& schema,
                                                                    Options const& options,
                                                                    MetaCheck check) {
    return Compiler(options, check).run(uri, schema);
}

std::shared_ptr<Program const> const& meta_program(Draft draft) {
    auto const compile = [](std::string_view uri) {
        // No step limit is needed: checking a schema against a built-in meta-schema takes time
        // proportional to the size of the schema.
        auto const options = Options().max_steps(unlimited).max_errors(1);
        return compile_program(std::string(uri), *find_meta_schema(uri), options, MetaCheck::off)
            .value();
    };
    static auto const draft_07 = compile("http://json-schema.org/draft-07/schema");
    static auto const draft_2020_12 = compile("https://json-schema.org/draft/2020-12/schema");
    return draft == Draft::draft_07 ? draft_07 : draft_2020_12;
}

}  // namespace lanyard::schema

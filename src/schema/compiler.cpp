#include "schema/compiler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "schema/explain.hpp"
#include "schema/link.hpp"
#include "schema/meta_schemas.hpp"
#include "schema/registry.hpp"

namespace lanyard::schema {
namespace {

std::uint32_t position(auto const& table) {
    return static_cast<std::uint32_t>(table.size());
}

template <class T>
std::uint32_t append(std::vector<T>& table, T value) {
    table.push_back(std::move(value));
    return position(table) - 1;
}

/// The keywords of one schema object that its dialect knows.
class Keywords {
public:
    Keywords(JsonObject const& schema, Dialect const& dialect) {
        auto const add = [&](boost::json::key_value_pair const& member) {
            if (auto const* info = find_keyword(dialect, member.key())) {
                values_[static_cast<std::size_t>(info->keyword)] = &member.value();
            }
        };
        if (is_pure_reference(dialect, schema)) {
            add(*schema.find("$ref"));
        } else {
            for (auto const& member : schema) add(member);
        }
    }

    Json const* operator[](Keyword keyword) const noexcept {
        return values_[static_cast<std::size_t>(keyword)];
    }
    bool any(std::initializer_list<Keyword> keywords) const noexcept {
        return std::any_of(keywords.begin(), keywords.end(),
                           [&](Keyword keyword) { return (*this)[keyword] != nullptr; });
    }

private:
    std::array<Json const*, keyword_count> values_{};
};

class Compiler {
public:
    Compiler(Options const& options, MetaCheck check)
        : options_(options), registry_(options, diagnosis_, check) {}

    Result<std::shared_ptr<Program const>, SchemaError> run(std::string const& uri,
                                                            Json const& schema) {
        auto const root = registry_.add_document(uri, schema);
        if (root) {
            // All of the schema is compiled, also what nothing refers to: its mistakes should show.
            // Of other documents only what is used.
            auto const own = registry_.sites();
            for (Site const& site : own) node_for(site);
            compile_pending();
        }
        if (!diagnosis_.failed()) link();
        if (diagnosis_.failed()) return Unexpected(diagnosis_.take());
        return std::make_shared<Program const>(std::move(program_));
    }

private:
    // ---- nodes

    /// The node of a subschema, compiled now or later.
    std::uint32_t node_for(Site const& site) {
        auto const [at, added] = node_of_.try_emplace(site.schema, position(program_.nodes));
        if (added) {
            Node node;
            node.resource = site.resource;
            node.place = site.place;
            program_.nodes.push_back(node);
            pending_.push_back(site);
        }
        return at->second;
    }

    /// The node of a subschema that stands in a keyword's value.
    std::uint32_t child(Json const& schema) {
        auto const site = registry_.find(&schema);
        // What the registry has not taken in is no schema by the form of the keyword's value.
        return site ? node_for(*site) : none;
    }

    void compile_pending() {
        do {
            while (compiled_ < pending_.size() && !diagnosis_.failed())
                compile(pending_[compiled_++]);
        } while (!diagnosis_.failed() && add_dynamic_targets());
    }

    void compile(Site const site) {
        site_ = &site;
        Node node = program_.nodes[node_of_.at(site.schema)];
        program_.compile_steps += 1;
        if (auto const* value = site.schema->if_bool()) {
            node.types = *value ? type_any : 0;
        } else if (auto const* object = site.schema->if_object()) {
            program_.compile_steps += object->size();
            Dialect const& dialect = *registry_.resource(site.resource).dialect;
            Keywords const keywords(*object, dialect);
            types(node, keywords);
            node.constant = constant(keywords);
            node.enumeration = enumeration(keywords);
            node.number = number(keywords);
            node.string = string(keywords, dialect);
            node.array = array(keywords, dialect);
            node.object = object_rules(keywords);
            applicators(node, keywords);
            node.unevaluated_items = schema(keywords, Keyword::unevaluated_items);
            node.unevaluated_properties = schema(keywords, Keyword::unevaluated_properties);
        } else {
            diagnosis_.fail(
                registry_.location(site),
                "a schema must be an object or a boolean, got " + describe(*site.schema));
        }
        node.only_types = node.constant == none && node.enumeration == none &&
                          node.number == none && node.string == none && node.array == none &&
                          node.object == none && node.applicators.empty() &&
                          node.unevaluated_items == none && node.unevaluated_properties == none;
        program_.nodes[node_of_.at(site.schema)] = node;
    }

    // ---- values of keywords; their form is known where the meta-schema is a standard one, but not
    // under a dialect of the user's own

    void wrong(Keyword keyword, std::string_view expected, Json const& value) {
        diagnosis_.fail(registry_.location(*site_, name_of(keyword)),
                        "must be " + std::string(expected) + ", got " + describe(value));
    }

    std::optional<Number> number_of(Keywords const& keywords, Keyword keyword) {
        auto const* value = keywords[keyword];
        if (value == nullptr) return std::nullopt;
        if (value->is_number()) return Number(*value);
        wrong(keyword, "a number", *value);
        return std::nullopt;
    }

    std::optional<std::uint64_t> count_of(Keywords const& keywords, Keyword keyword) {
        auto const* value = keywords[keyword];
        if (value == nullptr) return std::nullopt;
        Number const zero;
        if (!value->is_number() || Number(*value) < zero || !Number(*value).is_integral()) {
            wrong(keyword, "a non-negative integer", *value);
            return std::nullopt;
        }
        // No text and no array is as long as what does not fit.
        auto const whole = Number(*value).normalized().to_json();
        if (whole.is_double()) return unlimited;
        return whole.is_uint64() ? whole.get_uint64()
                                 : static_cast<std::uint64_t>(whole.get_int64());
    }

    JsonArray const* array_of(Keywords const& keywords, Keyword keyword) {
        auto const* value = keywords[keyword];
        if (value == nullptr) return nullptr;
        if (!value->is_array()) wrong(keyword, "an array", *value);
        return value->if_array();
    }

    JsonObject const* object_of(Keywords const& keywords, Keyword keyword) {
        auto const* value = keywords[keyword];
        if (value == nullptr) return nullptr;
        if (!value->is_object()) wrong(keyword, "an object", *value);
        return value->if_object();
    }

    std::string_view text_of(Keyword keyword, Json const& value) {
        if (auto const* text = value.if_string()) return *text;
        wrong(keyword, "a string", value);
        return {};
    }

    std::uint32_t schema(Keywords const& keywords, Keyword keyword) {
        auto const* value = keywords[keyword];
        return value == nullptr ? none : child(*value);
    }

    Range schema_list(JsonArray const& schemas) {
        std::vector<std::uint32_t> nodes;
        for (auto const& value : schemas) nodes.push_back(child(value));
        return append_list(nodes);
    }

    Range append_list(std::vector<std::uint32_t> const& entries) {
        Range range;
        range.begin = position(program_.lists);
        program_.lists.insert(program_.lists.end(), entries.begin(), entries.end());
        range.end = position(program_.lists);
        return range;
    }

    std::uint32_t pattern(Keyword keyword, std::string_view text) {
        auto compiled = Pattern::compile(text);
        if (!compiled) {
            diagnosis_.fail(registry_.location(*site_, name_of(keyword)),
                            "the pattern " + quoted(text) + " cannot be used: " + compiled.error());
            return none;
        }
        program_.pattern_texts.emplace_back(text);
        return append(program_.patterns, *std::move(compiled));
    }

    // ---- one function per kind of rule

    void types(Node& node, Keywords const& keywords) {
        auto const* value = keywords[Keyword::type];
        if (value == nullptr) return;
        node.types = 0;
        auto const add = [&](Json const& name) {
            static constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> bits{{
                {"null", type_null},
                {"boolean", type_boolean},
                {"integer", type_integer},
                {"number", type_number},
                {"string", type_string},
                {"array", type_array},
                {"object", type_object},
            }};
            auto const at = std::find_if(bits.begin(), bits.end(), [&](auto const& entry) {
                return name.is_string() && name.get_string() == entry.first;
            });
            if (at == bits.end()) {
                wrong(Keyword::type, "the name of a type", name);
            } else {
                node.types = static_cast<std::uint8_t>(node.types | at->second);
            }
        };
        if (auto const* names = value->if_array()) {
            for (auto const& name : *names) add(name);
        } else {
            add(*value);
        }
    }

    std::uint32_t constant(Keywords const& keywords) {
        auto const* value = keywords[Keyword::constant];
        return value == nullptr ? none : choices({value, 1});
    }

    std::uint32_t enumeration(Keywords const& keywords) {
        auto const* values = array_of(keywords, Keyword::enumeration);
        return values == nullptr ? none : choices({values->data(), values->size()});
    }

    std::uint32_t choices(std::span<Json const> values) {
        Choices rules;
        rules.in_order.begin = position(program_.values);
        program_.values.insert(program_.values.end(), values.begin(), values.end());
        rules.in_order.end = rules.others.begin = position(program_.values);
        std::vector<std::string_view> texts;
        for (auto const& value : values) {
            if (auto const* text = value.if_string()) {
                texts.push_back(*text);
            } else {
                program_.values.push_back(value);
            }
        }
        rules.others.end = position(program_.values);
        std::sort(texts.begin(), texts.end(), name_less);
        rules.strings.begin = position(program_.names);
        for (auto const text : texts) program_.names.push_back({std::string(text), none});
        rules.strings.end = position(program_.names);
        program_.compile_steps += values.size();
        return append(program_.choices, rules);
    }

    std::uint32_t number(Keywords const& keywords) {
        NumberRules rules;
        auto const bound = [&](Keyword keyword, NumberRules::Bound bit, Number& out) {
            auto const value = number_of(keywords, keyword);
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
        if ((rules.bounds & NumberRules::multiple) != 0 && rules.multiple_of <= Number()) {
            wrong(Keyword::multiple_of, "more than 0", *keywords[Keyword::multiple_of]);
        }
        return append(program_.numbers, rules);
    }

    std::uint32_t string(Keywords const& keywords, Dialect const& dialect) {
        StringRules rules;
        rules.min_length = count_of(keywords, Keyword::min_length).value_or(0);
        rules.max_length = count_of(keywords, Keyword::max_length).value_or(unlimited);
        if (auto const* text = keywords[Keyword::pattern]) {
            rules.pattern = pattern(Keyword::pattern, text_of(Keyword::pattern, *text));
        }
        bool const asserts =
            options_.assert_formats() || (dialect.vocabularies & format_assertion) != 0;
        if (auto const* name = keywords[Keyword::format]; name != nullptr && asserts) {
            auto const text = text_of(Keyword::format, *name);
            rules.format = find_format(text);
            if (rules.format != nullptr) {
                rules.format_name = append(program_.names, {std::string(text), none});
            }
        }
        if (rules.min_length == 0 && rules.max_length == unlimited && rules.pattern == none &&
            rules.format == nullptr) {
            return none;
        }
        return append(program_.strings, rules);
    }

    std::uint32_t array(Keywords const& keywords, Dialect const& dialect) {
        if (!keywords.any({Keyword::min_items, Keyword::max_items, Keyword::prefix_items,
                           Keyword::items, Keyword::contains, Keyword::unique_items})) {
            return none;
        }
        ArrayRules rules;
        rules.min_items = count_of(keywords, Keyword::min_items).value_or(0);
        rules.max_items = count_of(keywords, Keyword::max_items).value_or(unlimited);
        auto const* items = keywords[Keyword::items];
        if (items != nullptr && items->is_array() && dialect.draft == Draft::draft_07) {
            rules.prefix = schema_list(items->get_array());
            rules.rest = schema(keywords, Keyword::additional_items);
            rules.rest_keyword = Keyword::additional_items;
        } else if (items != nullptr && items->is_array()) {
            wrong(Keyword::items, "a schema", *items);
        } else {
            rules.rest = schema(keywords, Keyword::items);
        }
        if (auto const* prefix = array_of(keywords, Keyword::prefix_items)) {
            rules.prefix = schema_list(*prefix);
        }
        rules.contains = schema(keywords, Keyword::contains);
        rules.min_contains = count_of(keywords, Keyword::min_contains).value_or(1);
        rules.max_contains = count_of(keywords, Keyword::max_contains).value_or(unlimited);
        if (auto const* unique = keywords[Keyword::unique_items]) {
            if (!unique->is_bool()) wrong(Keyword::unique_items, "a boolean", *unique);
            rules.unique = *unique == true;
        }
        return append(program_.arrays, rules);
    }

    // ---- objects

    /// The names a schema object speaks of, from all its keywords.
    class NameTable {
    public:
        std::uint32_t& node(std::string_view name) {
            return names_.try_emplace(name, none).first->second;
        }
        void add(std::string_view name) { node(name); }

        Range store(std::vector<Name>& table) const {
            Range range;
            range.begin = position(table);
            for (auto const& [text, node] : names_) table.push_back({std::string(text), node});
            range.end = position(table);
            return range;
        }
        std::uint32_t position_of(std::string_view name) const { return positions_.at(name); }
        void number_positions() {
            std::uint32_t next = 0;
            for (auto const& entry : names_) positions_.emplace(entry.first, next++);
        }

    private:
        struct Less {
            bool operator()(std::string_view a, std::string_view b) const noexcept {
                return name_less(a, b);
            }
        };
        std::map<std::string_view, std::uint32_t, Less> names_;
        std::map<std::string_view, std::uint32_t, Less> positions_;
    };

    std::vector<std::string_view> names_in(Keyword keyword, Json const& value) {
        std::vector<std::string_view> out;
        auto const* list = value.if_array();
        if (list == nullptr) {
            wrong(keyword, "an array of strings", value);
            return out;
        }
        for (auto const& name : *list) out.push_back(text_of(keyword, name));
        program_.compile_steps += out.size();
        return out;
    }

    std::uint32_t object_rules(Keywords const& keywords) {
        if (!keywords.any({Keyword::min_properties, Keyword::max_properties, Keyword::properties,
                           Keyword::pattern_properties, Keyword::additional_properties,
                           Keyword::property_names, Keyword::required, Keyword::dependent_required,
                           Keyword::dependent_schemas, Keyword::dependencies})) {
            return none;
        }
        ObjectRules rules;
        rules.min_properties = count_of(keywords, Keyword::min_properties).value_or(0);
        rules.max_properties = count_of(keywords, Keyword::max_properties).value_or(unlimited);
        rules.additional = schema(keywords, Keyword::additional_properties);
        rules.property_names = schema(keywords, Keyword::property_names);

        NameTable names;
        if (auto const* properties = object_of(keywords, Keyword::properties)) {
            for (auto const& member : *properties) {
                names.node(member.key()) = child(member.value());
            }
        }
        std::vector<std::string_view> required;
        if (auto const* value = keywords[Keyword::required]) {
            required = names_in(Keyword::required, *value);
        }
        for (auto const name : required) names.add(name);

        struct Draft {
            std::string_view trigger;
            Keyword keyword;
            std::vector<std::string_view> names;
            std::uint32_t node;
        };
        std::vector<Draft> dependencies;
        for (Keyword const keyword :
             {Keyword::dependent_required, Keyword::dependent_schemas, Keyword::dependencies}) {
            auto const* members = object_of(keywords, keyword);
            if (members == nullptr) continue;
            for (auto const& member : *members) {
                Draft draft{member.key(), keyword, {}, none};
                bool const is_list =
                    keyword == Keyword::dependent_required ||
                    (keyword == Keyword::dependencies && member.value().is_array());
                if (is_list) {
                    draft.names = names_in(keyword, member.value());
                } else {
                    draft.node = child(member.value());
                }
                names.add(draft.trigger);
                for (auto const name : draft.names) names.add(name);
                dependencies.push_back(std::move(draft));
            }
        }
        names.number_positions();
        rules.names = names.store(program_.names);
        auto const positions = [&](std::vector<std::string_view> const& texts) {
            std::vector<std::uint32_t> out;
            for (auto const text : texts) out.push_back(names.position_of(text));
            return append_list(out);
        };
        rules.required = positions(required);
        rules.dependencies.begin = position(program_.dependencies);
        for (auto const& draft : dependencies) {
            program_.dependencies.push_back({names.position_of(draft.trigger), draft.keyword,
                                             positions(draft.names), draft.node});
        }
        rules.dependencies.end = position(program_.dependencies);
        rules.tracks_presence = !rules.required.empty() || !rules.dependencies.empty();

        std::vector<PatternRule> patterns;
        if (auto const* members = object_of(keywords, Keyword::pattern_properties)) {
            for (auto const& member : *members) {
                patterns.push_back(
                    {pattern(Keyword::pattern_properties, member.key()), child(member.value())});
            }
        }
        rules.patterns.begin = position(program_.pattern_rules);
        program_.pattern_rules.insert(program_.pattern_rules.end(), patterns.begin(),
                                      patterns.end());
        rules.patterns.end = position(program_.pattern_rules);
        return append(program_.objects, rules);
    }

    // ---- references and other keywords that apply subschemas to the instance itself

    void applicators(Node& node, Keywords const& keywords) {
        std::vector<Applicator> out;
        using Op = Applicator::Op;
        if (auto const* ref = keywords[Keyword::ref]) {
            if (auto const target =
                    registry_.resolve(*site_, Keyword::ref, text_of(Keyword::ref, *ref))) {
                out.push_back({Op::always, node_for(*target)});
            }
        }
        if (auto const* ref = keywords[Keyword::dynamic_ref]) {
            dynamic_reference(out, text_of(Keyword::dynamic_ref, *ref));
        }
        if (auto const* schemas = array_of(keywords, Keyword::all_of)) {
            for (auto const& value : *schemas) out.push_back({Op::always, child(value)});
        }
        for (auto const& [keyword, op] :
             {std::pair(Keyword::any_of, Op::any), std::pair(Keyword::one_of, Op::exactly_one)}) {
            if (auto const* schemas = array_of(keywords, keyword)) {
                auto const range = schema_list(*schemas);
                out.push_back({op, range.begin, range.end});
            }
        }
        if (keywords[Keyword::negation] != nullptr) {
            out.push_back({Op::negation, schema(keywords, Keyword::negation)});
        }
        if (keywords[Keyword::condition] != nullptr) {
            out.push_back({Op::conditional, schema(keywords, Keyword::condition),
                           schema(keywords, Keyword::consequence),
                           schema(keywords, Keyword::alternative)});
        }
        node.applicators.begin = position(program_.applicators);
        program_.applicators.insert(program_.applicators.end(), out.begin(), out.end());
        node.applicators.end = position(program_.applicators);
    }

    // `$dynamicRef` differs from `$ref` only where it leads to a `$dynamicAnchor` of its name.
    void dynamic_reference(std::vector<Applicator>& out, std::string_view reference) {
        auto const target = registry_.resolve(*site_, Keyword::dynamic_ref, reference);
        if (!target) return;
        auto const hash = reference.find('#');
        auto const name = hash == reference.npos ? std::string_view() : reference.substr(hash + 1);
        auto const& anchors = registry_.resource(target->resource).dynamic_anchors;
        auto const at = anchors.find(name);
        if (at == anchors.end() || at->second != target->schema) {
            out.push_back({Applicator::Op::always, node_for(*target)});
            return;
        }
        auto const [slot, added] =
            dynamic_names_.try_emplace(at->first, position(program_.dynamic));
        if (added) program_.dynamic.emplace_back();
        out.push_back({Applicator::Op::dynamic, node_for(*target), slot->second});
    }

    // Any resource with compiled nodes may be in the dynamic scope. True where that asked for nodes
    // that are still to compile.
    bool add_dynamic_targets() {
        std::vector<bool> used(registry_.resources().size());
        for (Node const& node : program_.nodes) used[node.resource] = true;
        for (auto const& [name, slot] : dynamic_names_) {
            auto& entries = program_.dynamic[slot].entries;
            entries.clear();
            for (std::uint32_t i = 0; i < used.size(); ++i) {
                auto const& anchors = registry_.resource(i).dynamic_anchors;
                auto const at = anchors.find(name);
                if (!used[i] || at == anchors.end()) continue;
                entries.push_back({i, node_for(*registry_.find(at->second))});
            }
        }
        return compiled_ < pending_.size();
    }

    void link() {
        program_.places = registry_.take_places();
        for (auto const& resource : registry_.resources()) {
            program_.resources.push_back(resource.uri);
        }
        program_.compile_steps += registry_.steps();
        program_.max_steps = options_.max_steps();
        program_.max_recursion = options_.max_recursion();
        program_.max_errors = std::max<std::size_t>(options_.max_errors(), 1);
        if (auto const cycle = link_program(program_)) {
            Node const& node = program_.nodes[*cycle];
            diagnosis_.fail(program_.location(node.resource, node.place),
                            "the schema refers to itself without going deeper into the instance, "
                            "so validation would never end");
        }
    }

    Options const& options_;
    Diagnosis diagnosis_;
    Registry registry_;
    Program program_;
    std::unordered_map<Json const*, std::uint32_t> node_of_;
    std::vector<Site> pending_;
    std::size_t compiled_ = 0;
    Site const* site_ = nullptr;  // being compiled
    std::map<std::string_view, std::uint32_t> dynamic_names_;
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
        // The built-in meta-schemas take time in proportion to the schema they look at.
        auto const options = Options().max_steps(unlimited).max_errors(1);
        return compile_program(std::string(uri), *find_meta_schema(uri), options, MetaCheck::off)
            .value();
    };
    static auto const draft_07 = compile("http://json-schema.org/draft-07/schema");
    static auto const draft_2020_12 = compile("https://json-schema.org/draft/2020-12/schema");
    return draft == Draft::draft_07 ? draft_07 : draft_2020_12;
}

}  // namespace lanyard::schema

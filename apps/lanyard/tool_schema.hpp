// ToolSchema: the arguments of a tool according to its input schema.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lanyard/json/document.hpp"
#include "lanyard/json/raw_json.hpp"

namespace lanyard::app {

/// Reads the names, types and defaults of arguments, also through `$ref`, `allOf`, `anyOf` and
/// `oneOf`. The schema may come from a hostile server: it may be recursive, or have so many
/// references that following all of them would take for ever. Every function visits a bounded
/// number of subschemas; a type that is not found within this bound is unknown.
class ToolSchema {
public:
    using Types = std::set<std::string>;

    explicit ToolSchema(RawJson const& input_schema);
    // Not copyable, because the pointers in arguments_ point into root_.
    ToolSchema(ToolSchema const&) = delete;
    ToolSchema& operator=(ToolSchema const&) = delete;

    Json const& json() const noexcept { return root_; }

    /// The names of all arguments, in the order of the schema.
    std::vector<std::string> const& names() const noexcept { return names_; }
    bool has(std::string_view name) const { return arguments_.find(name) != arguments_.end(); }
    bool requires_argument(std::string_view name) const {
        return required_.find(name) != required_.end();
    }
    /// Whether the schema allows arguments that it does not name.
    bool is_open() const noexcept { return open_; }

    /// The types that an argument may have: "integer", "string", ... Empty if the schema does not
    /// specify them, or if there is no such argument.
    Types types(std::string_view name) const;
    /// The types that the elements of an argument may have if the argument is an array.
    Types element_types(std::string_view name) const;
    /// The default of an argument; null if it has no default.
    Json const* default_of(std::string_view name) const { return default_of(value(name)); }
    /// The type in short form: "integer", "string[]", "number|string", "any"; for an enumeration
    /// its choices: "red|green", "(red|green)[]".
    std::string type_name(std::string_view name) const;
    /// Same as type_name(), but describes an enumeration by the type of its choices, and names
    /// `null` as well: "string", "string|null".
    std::string plain_type_name(std::string_view name) const {
        return plain_type_name(value(name));
    }

    /// A value of an enumeration, and its title or description if it has one.
    struct Choice {
        std::string value;
        std::string title;

        bool operator==(Choice const&) const = default;
    };
    /// The values that an argument (or, if it is a list, its elements) may have, at most 1,000.
    /// Empty if the schema does not enumerate the values.
    std::vector<Choice> choices(std::string_view name) const { return choices(value(name)); }
    /// The description of an argument, or else its title. Empty if it has neither.
    std::string description(std::string_view name) const { return description(value(name)); }
    /// The limits of an argument in words: "at least 1", "at most 80 characters".
    std::vector<std::string> limits(std::string_view name) const { return limits(value(name)); }

    /// A value that the schema describes: an argument, a member of an object, an element of an
    /// array. Holds the subschemas that apply to it.
    using Value = std::vector<Json const*>;
    struct Member {
        std::string name;
        bool required = false;
        Value value;
    };

    /// The value that the whole schema describes.
    Value whole() const { return {&root_}; }
    /// An argument; empty if there is no such argument.
    Value value(std::string_view name) const;
    /// The members of an object, in the order of the schema.
    std::vector<Member> members(Value const& value) const;
    /// The elements of an array; empty if the value is no array.
    Value elements(Value const& value) const { return items_of(alternatives(value)); }
    /// The values of members that the schema does not name; empty if it does not describe them.
    Value other_members(Value const& value) const;
    /// The alternatives of a value of which at least one is an object or an array of objects.
    /// Empty if there are fewer than two alternatives. `null` is no alternative.
    std::vector<Value> variants(Value const& value) const;
    /// The subschemas that always apply to the value. Two values that share one of them are of the
    /// same type.
    Value subschemas(Value const& value) const;

    // The same as the functions for arguments above. If the value has variants, the functions do
    // not search them, except for the types.
    Json const* default_of(Value const& value) const;
    std::string plain_type_name(Value const& value) const {
        return type_name(alternatives(value), Names::types, 0);
    }
    std::vector<Choice> choices(Value const& value) const;
    std::string description(Value const& value) const;
    std::vector<std::string> limits(Value const& value) const;

private:
    using Schemas = std::vector<Json const*>;
    enum class Names { choices, types };

    Schemas schemas_of(std::string_view name) const { return alternatives(value(name)); }
    Schemas necessary(Schemas const& schemas, int depth) const;
    Schemas options_of(Schemas const& schemas) const;
    bool has_objects(Json const* schema) const;
    Json const* resolve(Json const* schema) const;
    Schemas alternatives(Schemas schemas) const;
    Schemas combined(Schemas schemas, std::initializer_list<char const*> keywords) const;
    Types types_of(Schemas const& schemas) const;
    Schemas items_of(Schemas const& schemas) const;
    std::string type_name(Schemas const& schemas, Names names, int depth) const;
    void read_arguments();

    Json root_;
    std::vector<std::string> names_;
    std::map<std::string, Schemas, std::less<>> arguments_;
    std::set<std::string, std::less<>> required_;
    bool open_ = false;
    mutable std::size_t budget_;  // how many subschemas and references may still be visited
};

}  // namespace lanyard::app

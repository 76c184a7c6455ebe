// Builds the description of a type: field(), rest() and describe() for structs, enumerator() and
// describe_enum() for enumerations, and where the description of a given type is found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>

#include <lanyard/json/document.hpp>
#include <lanyard/json/raw_json.hpp>
#include <lanyard/reflect/attributes.hpp>
#include <lanyard/reflect/description.hpp>

namespace lanyard::reflect {

/// Finds descriptions by argument-dependent lookup on T's namespace.
template <class T>
struct Tag {};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_pointer = false;
template <class T, class D>
inline constexpr bool is_pointer<std::unique_ptr<T, D>> = true;
template <class T>
inline constexpr bool is_pointer<std::shared_ptr<T>> = true;

template <class T>
Shape const& shape_of();

template <class T>
bool decode_erased(json::View view, void* out, DecodeContext& context) {
    return Codec<T>::decode(view, *static_cast<T*>(out), context);
}

template <class T>
void encode_erased(json::Writer& writer, void const* value, EncodeContext const& context) {
    Codec<T>::encode(writer, *static_cast<T const*>(value), context);
}

namespace detail {

template <class M>
struct MemberPointer;
template <class M, class T>
struct MemberPointer<M T::*> {
    using Owner = T;
    using Type = M;
};

template <class Owner, auto Member>
void* access(void* object) noexcept {
    return std::addressof(static_cast<Owner*>(object)->*Member);
}

template <class M>
bool is_false(void const* member) noexcept {
    return !*static_cast<M const*>(member);
}

template <class M>
bool is_empty(void const* member) noexcept {
    return static_cast<M const*>(member)->empty();
}

// As a member, an optional is present or absent; null is not one of its values.
template <class M>
bool decode_present(json::View view, void* out, DecodeContext& context) {
    auto& member = *static_cast<M*>(out);
    using T = typename M::value_type;
    return Codec<T>::decode(view, member.emplace(), context);
}

enum class Applies { always, to_numbers, to_strings, to_arrays };

template <class M>
struct Target {
    using Type = M;
};
template <class T>
struct Target<std::optional<T>> : Target<T> {};

template <class M, Applies applies>
consteval bool fits() {
    using T = typename Target<M>::Type;
    if constexpr (applies == Applies::to_numbers) {
        return std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
    } else if constexpr (applies == Applies::to_strings) {
        return std::is_convertible_v<T const&, std::string_view>;
    } else if constexpr (applies == Applies::to_arrays) {
        return requires(T const& t) { t.size(); } && !requires { typename T::mapped_type; } &&
               !std::is_convertible_v<T const&, std::string_view>;
    }
    return true;
}

struct FieldBuilder {
    Field field;
    FieldDetails details;

    template <class M>
    constexpr void apply(std::string_view doc) {
        details.doc = doc;
    }
    template <class M>
    constexpr void apply(lanyard::min a) {
        constrain<M, Applies::to_numbers>(details.constraints.minimum, a.bound);
    }
    template <class M>
    constexpr void apply(lanyard::max a) {
        constrain<M, Applies::to_numbers>(details.constraints.maximum, a.bound);
    }
    template <class M>
    constexpr void apply(lanyard::exclusive_min a) {
        constrain<M, Applies::to_numbers>(details.constraints.exclusive_minimum, a.bound);
    }
    template <class M>
    constexpr void apply(lanyard::exclusive_max a) {
        constrain<M, Applies::to_numbers>(details.constraints.exclusive_maximum, a.bound);
    }
    template <class M>
    constexpr void apply(lanyard::multiple_of a) {
        constrain<M, Applies::to_numbers>(details.constraints.multiple_of, a.divisor);
    }
    template <class M>
    constexpr void apply(lanyard::min_length a) {
        constrain<M, Applies::to_strings>(details.constraints.min_length, a.count);
    }
    template <class M>
    constexpr void apply(lanyard::max_length a) {
        constrain<M, Applies::to_strings>(details.constraints.max_length, a.count);
    }
    template <class M>
    constexpr void apply(lanyard::min_items a) {
        constrain<M, Applies::to_arrays>(details.constraints.min_items, a.count);
    }
    template <class M>
    constexpr void apply(lanyard::max_items a) {
        constrain<M, Applies::to_arrays>(details.constraints.max_items, a.count);
    }
    template <class M>
    constexpr void apply(lanyard::pattern a) {
        static_assert(fits<M, Applies::to_strings>(), "pattern applies to strings only");
        details.pattern = a.regex;
    }
    template <class M>
    constexpr void apply(lanyard::format a) {
        static_assert(fits<M, Applies::to_strings>(), "format applies to strings only");
        details.format = a.name;
    }
    template <class M>
    constexpr void apply(lanyard::name a) {
        field.name = a.wire;
    }
    template <class M>
    constexpr void apply(lanyard::title a) {
        details.title = a.text;
    }
    template <class M>
    constexpr void apply(lanyard::examples a) {
        details.examples = a.literals;
        details.example_count = a.count;
    }
    template <class M>
    constexpr void apply(lanyard::since a) {
        field.since = a.version;
    }
    template <class M>
    constexpr void apply(lanyard::until a) {
        field.until = a.version;
    }
    template <class M>
    constexpr void apply(Flag flag) {
        field.flags = field.flags | flag;
        if (flag == Flag::unique_items) {
            details.constraints.unique_items = true;
            field.constrained = true;
        }
    }

private:
    template <class M, Applies applies, class Bound, class Value>
    constexpr void constrain(Bound& bound, Value value) {
        static_assert(fits<M, applies>(), "the attribute does not apply to a member of this type");
        bound = value;
        field.constrained = true;
    }
};

}  // namespace detail

/// One field of a struct, as describe() takes it.
template <class Owner>
struct FieldOf {
    detail::FieldBuilder built;
};

/// The member that keeps what no field takes, as describe() takes it.
template <class Owner>
struct RestOf {
    JsonObject& (*access)(void* object);
};

/// Describes a member under its wire name; attributes and a doc string follow.
///
/// A member is required unless it is optional, a pointer or RawJson, or is marked `defaulted` or
/// `omit_empty`.
template <auto Member, class Owner = typename detail::MemberPointer<decltype(Member)>::Owner,
          class... Attributes>
constexpr FieldOf<Owner> field(std::string_view name, Attributes const&... attributes) {
    using M = typename detail::MemberPointer<decltype(Member)>::Type;
    detail::FieldBuilder built;
    auto& field = built.field;
    field.name = name;
    field.access = &detail::access<Owner, Member>;
    (built.template apply<M>(attributes), ...);

    bool optional = has(field.flags, Flag::defaulted);
    if constexpr (is_optional<M>) {
        using T = typename M::value_type;
        field.type = {&shape_of<T>, &detail::decode_present<M>, &encode_erased<M>};
        field.absent = &detail::is_false<M>;
        optional = true;
    } else {
        field.type = {&shape_of<M>, &decode_erased<M>, &encode_erased<M>};
        if constexpr (is_pointer<M>) {
            field.absent = &detail::is_false<M>;
            optional = true;
        } else if constexpr (std::is_same_v<M, RawJson>) {
            field.absent = &detail::is_empty<M>;
            optional = true;
        } else if constexpr (requires(M const& m) { m.empty(); }) {
            if (has(field.flags, Flag::omit_empty)) {
                field.absent = &detail::is_empty<M>;
                optional = true;
            }
        }
    }
    if (!optional) field.flags = field.flags | Flag::required;
    return {built};
}

/// A member of the JSON object that always has this value and no place in the struct. Among the
/// alternatives of a variant, a constant decides which one is meant.
template <class Owner, class... Attributes>
constexpr FieldOf<Owner> constant(std::string_view name, std::string_view value,
                                  Attributes const&... attributes) {
    detail::FieldBuilder built;
    built.field.name = name;
    built.field.constant = value;
    built.field.flags = Flag::required;
    (built.template apply<std::string_view>(attributes), ...);
    return {built};
}

/// Describes the member that collects the members of the JSON object no field takes; they are
/// written back on encoding.
template <auto Member, class Owner = typename detail::MemberPointer<decltype(Member)>::Owner>
constexpr RestOf<Owner> rest() {
    return {[](void* object) -> JsonObject& { return static_cast<Owner*>(object)->*Member; }};
}

/// The description of a struct with N fields.
template <class T, std::size_t N>
struct StructTable {
    std::string_view name, title, doc;
    std::array<Field, N> fields;
    std::array<FieldDetails, N> details;
    std::uint64_t required = 0;
    JsonObject& (*rest)(void* object) = nullptr;
    bool closed = false;
    std::size_t count = 0;

    constexpr void add(FieldOf<T> const& item) {
        fields[count] = item.built.field;
        details[count] = item.built.details;
        if (has(item.built.field.flags, Flag::required)) required |= std::uint64_t{1} << count;
        ++count;
    }
    constexpr void add(RestOf<T> const& item) { rest = item.access; }
    constexpr void add(std::string_view text) { doc = text; }
    constexpr void add(lanyard::title text) { title = text.text; }
    constexpr void add(Flag flag) { closed = closed || flag == Flag::closed; }
};

/// Describes T: its name and its fields in the order they are written, with at most one rest();
/// a doc string, `title` and `closed` may stand among them.
template <class T, class... Items>
constexpr auto describe(std::string_view name, Items const&... items) {
    constexpr std::size_t count = (std::size_t{std::is_same_v<Items, FieldOf<T>>} + ... + 0);
    static_assert(count <= 64, "a described struct has at most 64 fields");
    StructTable<T, count> table;
    table.name = name;
    (table.add(items), ...);
    return table;
}

/// The description of an enumeration with N enumerators.
template <class T, std::size_t N>
struct EnumTable {
    std::string_view name;
    std::array<Enumerator, N> enumerators;
};

namespace detail {

constexpr void apply(Enumerator& result, std::string_view title) {
    result.title = title;
}
constexpr void apply(Enumerator& result, lanyard::title title) {
    result.title = title.text;
}
constexpr void apply(Enumerator& result, lanyard::name name) {
    result.name = name.wire;
}

}  // namespace detail

/// One enumerator; a title and `name` for a different wire name may follow.
template <class E, class... Attributes>
constexpr Enumerator enumerator(E value, std::string_view name, Attributes const&... attributes) {
    Enumerator result{static_cast<std::int64_t>(value), name, {}};
    (detail::apply(result, attributes), ...);
    return result;
}

/// Describes the enumeration E.
template <class E, class... Enumerators>
constexpr auto describe_enum(std::string_view name, Enumerators const&... enumerators) {
    return EnumTable<E, sizeof...(Enumerators)>{name, {enumerators...}};
}

namespace detail {

struct Undescribed {};

// The name of T without its namespaces, read off the compiler's name for this function.
template <class T>
constexpr std::string_view type_name() {
    constexpr std::string_view function = __PRETTY_FUNCTION__;
    constexpr auto begin = function.find("T = ") + 4;
    constexpr auto end = function.find_first_of(";]", begin);
    constexpr auto full = function.substr(begin, end - begin);
    return full.substr(full.rfind(':') + 1);
}

template <class T, template <class...> class List, class... Members>
constexpr auto describe_boost_members(List<Members...>) {
    return describe<T>(type_name<T>(), field<Members::pointer, T>(Members::name)...);
}

template <class T, template <class...> class List, class... Enumerators>
constexpr auto describe_boost_enumerators(List<Enumerators...>) {
    return describe_enum<T>(type_name<T>(), enumerator(Enumerators::value, Enumerators::name)...);
}

template <class T>
constexpr auto find_description() {
    if constexpr (requires { lanyard_describe(Tag<T>{}); }) {
        return lanyard_describe(Tag<T>{});
    } else if constexpr (boost::describe::has_describe_members<T>::value) {
        return describe_boost_members<T>(
            boost::describe::describe_members < T,
            boost::describe::mod_public | boost::describe::mod_inherited > {});
    } else if constexpr (boost::describe::has_describe_enumerators<T>::value) {
        return describe_boost_enumerators<T>(boost::describe::describe_enumerators<T>{});
    } else {
        return Undescribed{};
    }
}

}  // namespace detail

/// The description of T: from LANYARD_STRUCT or LANYARD_ENUM, from BOOST_DESCRIBE_STRUCT or
/// BOOST_DESCRIBE_ENUM, or specialized with what describe() returns.
template <class T>
inline constexpr auto description = detail::find_description<T>();

namespace detail {

template <class T>
inline constexpr bool is_struct_table = false;
template <class T, std::size_t N>
inline constexpr bool is_struct_table<StructTable<T, N>> = true;
template <class T>
inline constexpr bool is_enum_table = false;
template <class T, std::size_t N>
inline constexpr bool is_enum_table<EnumTable<T, N>> = true;

template <class T>
void with_default(void (*use)(void const* object, void* state), void* state) {
    if constexpr (std::is_default_constructible_v<T>) {
        T const object{};
        use(&object, state);
    }
}

}  // namespace detail

/// A struct whose description is known.
template <class T>
concept DescribedStruct =
    std::is_class_v<T> && detail::is_struct_table<std::remove_const_t<decltype(description<T>)>>;

/// An enumeration whose description is known.
template <class T>
concept DescribedEnum =
    std::is_enum_v<T> && detail::is_enum_table<std::remove_const_t<decltype(description<T>)>>;

template <DescribedStruct T>
StructInfo const* struct_info() {
    static constexpr auto const& table = description<T>;
    static constexpr StructInfo info{table.name,   table.title,          table.doc,
                                     table.fields, table.details.data(), table.required,
                                     table.rest,   table.closed,         &detail::with_default<T>};
    return &info;
}

template <DescribedEnum E>
EnumInfo const* enum_info() {
    static constexpr EnumInfo info{description<E>.name, description<E>.enumerators};
    return &info;
}

}  // namespace lanyard::reflect

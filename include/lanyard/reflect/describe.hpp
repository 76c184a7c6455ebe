// Builds the description of a type: field(), rest() and describe() for structs, enumerator() and
// describe_enum() for enumerations. Also finds the description of a given type.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>

#include <lanyard/json/document.hpp>
#include <lanyard/json/raw_json.hpp>
#include <lanyard/reflect/attributes.hpp>
#include <lanyard/reflect/description.hpp>

namespace lanyard::reflect {

/// The type of the argument of lanyard_describe(). Because T is a template argument,
/// argument-dependent lookup finds the function in the namespace of T.
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

/// Recognises std::filesystem::path without including its header.
template <class T>
inline constexpr bool is_path = requires(T const& t) {
    typename T::string_type;
    t.lexically_normal();
    t.u8string();
};
/// std::set, std::unordered_set and other types whose keys are their values.
template <class T>
inline constexpr bool is_set = requires(T& t, typename T::value_type value) {
    requires std::is_same_v<typename T::key_type, typename T::value_type>;
    t.insert(std::move(value));
    t.size();
};
template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;
template <class T>
inline constexpr bool is_time_point = false;
template <class Duration>
inline constexpr bool is_time_point<std::chrono::sys_time<Duration>> = true;

template <class T>
Shape const& shape_of();

/// A list of types. If the codec of a type uses the codecs of other types, for example of the
/// elements of a container, the codec lists these types in a member type `Elements`.
template <class... Ts>
struct Types {};

namespace detail {

template <class... Ts>
consteval bool all_have_codecs(Types<Ts...>);
template <class... Ts>
consteval bool all_are_readable(Types<Ts...>);

}  // namespace detail

/// Whether T, and every type its codec uses, can be encoded.
template <class T>
consteval bool has_codec() {
    if constexpr (!requires { sizeof(Codec<T>); }) {
        return false;
    } else if constexpr (requires { typename Codec<T>::Elements; }) {
        return detail::all_have_codecs(typename Codec<T>::Elements{});
    } else {
        return true;
    }
}

/// Whether T, and every type that its codec uses, can be both encoded and decoded.
template <class T>
consteval bool is_readable() {
    if constexpr (!has_codec<T>() || !requires(json::View view, T& out, DecodeContext& context) {
                      Codec<T>::decode(view, out, context);
                  }) {
        return false;
    } else if constexpr (requires { typename Codec<T>::Elements; }) {
        return detail::all_are_readable(typename Codec<T>::Elements{});
    } else {
        return true;
    }
}

namespace detail {

template <class... Ts>
consteval bool all_have_codecs(Types<Ts...>) {
    return (has_codec<Ts>() && ...);
}
template <class... Ts>
consteval bool all_are_readable(Types<Ts...>) {
    return (is_readable<Ts>() && ...);
}

bool fail_unreadable(DecodeContext& context);

}  // namespace detail

// The functions decode_erased() and encode_erased() compile even for a type without a codec,
// because other functions report this error with a clearer message: detail::access() names the
// member, codec::require_codec() names the type.

template <class T>
bool decode_erased([[maybe_unused]] json::View view, [[maybe_unused]] void* out,
                   DecodeContext& context) {
    if constexpr (is_readable<T>()) {
        return Codec<T>::decode(view, *static_cast<T*>(out), context);
    } else {
        return detail::fail_unreadable(context);
    }
}

template <class T>
void encode_erased([[maybe_unused]] json::Writer& writer, [[maybe_unused]] void const* value,
                   [[maybe_unused]] EncodeContext const& context) {
    if constexpr (has_codec<T>()) {
        Codec<T>::encode(writer, *static_cast<T const*>(value), context);
    }
}

namespace detail {

template <class M>
struct MemberPointer;
template <class M, class T>
struct MemberPointer<M T::*> {
    using Owner = T;
    using Type = M;
};

// The template parameters exist only for the compiler's error message, which then shows the struct,
// the member and the member's type.
template <class Owner, auto Member, class Type>
constexpr void require_codec_of_member() noexcept {
    static_assert(has_codec<Type>(),
                  "a member of a described struct has a type without a codec (Owner, Member and "
                  "Type in the message say which): describe that type with LANYARD_STRUCT or "
                  "LANYARD_ENUM, or specialize lanyard::Codec<Type>");
}

template <class Owner, auto Member>
void* access(void* object) noexcept {
    require_codec_of_member<Owner, Member, typename MemberPointer<decltype(Member)>::Type>();
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

// Decodes an optional member that is present in the JSON object. Null does not stand for the empty
// optional here, because an empty optional is represented by leaving the member out.
template <class M>
bool decode_present(json::View view, void* out, DecodeContext& context) {
    auto& member = *static_cast<M*>(out);
    return decode_erased<typename M::value_type>(view, &member.emplace(), context);
}

template <class M>
struct Target {
    using Type = M;
};
template <class T>
struct Target<std::optional<T>> : Target<T> {};

// Whether an attribute applies to a member of type M.
template <class M, class Attribute>
consteval bool fits() {
    using T = typename Target<M>::Type;
    constexpr bool text = std::is_convertible_v<T const&, std::string_view> || is_path<T>;
    if constexpr (requires { Attribute::applies; }) {
        switch (Attribute::applies) {
            case Applies::to_numbers:
                return (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || is_duration<T>;
            case Applies::to_strings:
                return text || is_time_point<T>;
            case Applies::to_arrays:
                return !text && (is_set<T> || requires(T const& t) { t[0], t.size(); });
        }
    }
    return true;
}

struct FieldParts {
    Field field;
    FieldDetails details;

    constexpr void apply(std::string_view doc) { details.doc = doc; }
    constexpr void apply(attr::title title) { details.title = title.text; }
    constexpr void apply(attr::pattern pattern) { details.pattern = pattern.regex; }
    constexpr void apply(attr::format format) { details.format = format.name; }
    constexpr void apply(attr::examples examples) {
        details.examples = examples.literals;
        details.example_count = examples.count;
    }
    constexpr void apply(attr::min a) { constrain(details.constraints.minimum, a.bound); }
    constexpr void apply(attr::max a) { constrain(details.constraints.maximum, a.bound); }
    constexpr void apply(attr::exclusive_min a) {
        constrain(details.constraints.exclusive_minimum, a.bound);
    }
    constexpr void apply(attr::exclusive_max a) {
        constrain(details.constraints.exclusive_maximum, a.bound);
    }
    constexpr void apply(attr::multiple_of a) {
        constrain(details.constraints.multiple_of, a.divisor);
    }
    constexpr void apply(attr::min_length a) { constrain(details.constraints.min_length, a.count); }
    constexpr void apply(attr::max_length a) { constrain(details.constraints.max_length, a.count); }
    constexpr void apply(attr::min_items a) { constrain(details.constraints.min_items, a.count); }
    constexpr void apply(attr::max_items a) { constrain(details.constraints.max_items, a.count); }
    constexpr void apply(UniqueItems) { constrain(details.constraints.unique_items, true); }

    constexpr void apply(attr::name name) { field.name = name.wire; }
    constexpr void apply(attr::since since) { field.since = since.version; }
    constexpr void apply(attr::until until) { field.until = until.version; }
    constexpr void apply(Flag flag) { field.flags = field.flags | flag; }

private:
    // Three overloads instead of a template: clang would instantiate the template only at the end
    // of the translation unit, too late for a description that is used earlier.
    constexpr void constrain(Number& bound, Number value) {
        bound = value;
        field.constrained = true;
    }
    constexpr void constrain(std::optional<std::size_t>& bound, std::size_t value) {
        bound = value;
        field.constrained = true;
    }
    constexpr void constrain(bool& bound, bool value) {
        bound = value;
        field.constrained = true;
    }
};

template <class Attribute>
inline constexpr bool is_detail =
    !(std::is_same_v<Attribute, attr::name> || std::is_same_v<Attribute, attr::since> ||
      std::is_same_v<Attribute, attr::until> || std::is_same_v<Attribute, Flag>);

}  // namespace detail

/// An argument of describe(): the description of one field. Member is the type of the data member,
/// void for a constant.
template <class Owner, bool has_details, class Member>
struct FieldOf : detail::FieldParts {};

/// An argument of describe(): the data member in which a struct stores unknown members of the JSON
/// object.
template <class Owner>
struct RestOf {
    JsonObject& (*access)(void* object);
};

/// Describes a data member. Takes the member's name in JSON, then attributes and a doc string.
///
/// A member is required, with these exceptions: members whose type is std::optional, a pointer or
/// RawJson, and members that are marked `defaulted` or `omit_empty`.
template <auto Member, class Owner = typename detail::MemberPointer<decltype(Member)>::Owner,
          class... Attributes>
constexpr auto field(std::string_view name, Attributes const&... attributes) {
    using M = typename detail::MemberPointer<decltype(Member)>::Type;
    static_assert((detail::fits<M, Attributes>() && ...),
                  "an attribute does not apply to a member of this type");
    FieldOf<Owner, (detail::is_detail<Attributes> || ...), M> result;
    auto& field = result.field;
    field.name = name;
    field.access = &detail::access<Owner, Member>;
    field.type = {&shape_of<M>, &decode_erased<M>, &encode_erased<M>};
    (result.apply(attributes), ...);

    if constexpr (is_optional<M>) {
        field.type.shape = &shape_of<typename M::value_type>;
        field.type.decode = &detail::decode_present<M>;
        field.absent = &detail::is_false<M>;
    } else if constexpr (is_pointer<M>) {
        field.absent = &detail::is_false<M>;
    } else if constexpr (std::is_same_v<M, RawJson>) {
        field.absent = &detail::is_empty<M>;
    } else if constexpr (requires(M const& m) { m.empty(); }) {
        if (has(field.flags, Flag::omit_empty)) field.absent = &detail::is_empty<M>;
    }
    if (field.absent == nullptr && has(field.flags, Flag::omit_empty | Flag::nullable)) {
        throw "omit_empty and nullable apply to members that can be empty";
    }
    bool const optional = field.absent != nullptr || has(field.flags, Flag::defaulted);
    if (!optional) field.flags = field.flags | Flag::required;
    return result;
}

/// Describes a member of the JSON object that always has this value and is not stored in the
/// struct. Decoding a variant uses this value to select the alternative.
template <class Owner, class... Attributes>
constexpr auto constant(std::string_view name, std::string_view value,
                        Attributes const&... attributes) {
    FieldOf<Owner, (detail::is_detail<Attributes> || ...), void> result;
    result.field.name = name;
    result.field.constant = value;
    result.field.flags = Flag::required;
    (result.apply(attributes), ...);
    return result;
}

/// Describes the data member that stores unknown members of the JSON object. Encoding writes those
/// members again.
template <auto Member, class Owner = typename detail::MemberPointer<decltype(Member)>::Owner>
constexpr RestOf<Owner> rest() {
    return {[](void* object) -> JsonObject& { return static_cast<Owner*>(object)->*Member; }};
}

/// The description of a struct with N fields, of which D have details (FieldDetails). Items are the
/// types of the arguments of describe().
template <class T, std::size_t N, std::size_t D, class... Items>
struct StructTable {
    std::string_view name, title, doc;
    std::array<Field, N> fields;
    std::array<FieldDetails, D> details;
    std::uint64_t required = 0;
    JsonObject& (*rest)(void* object) = nullptr;
    bool closed = false;

    std::size_t field_count = 0;
    std::uint8_t detail_count = 0;

    template <bool has_details, class Member>
    constexpr void add(FieldOf<T, has_details, Member> const& item) {
        auto& field = fields[field_count];
        field = item.field;
        if (has(field.flags, Flag::required)) required |= std::uint64_t{1} << field_count;
        ++field_count;
        if constexpr (has_details) {
            field.details = detail_count;
            details[detail_count++] = item.details;
        }
    }
    constexpr void add(RestOf<T> const& item) { rest = item.access; }
    constexpr void add(std::string_view text) { doc = text; }
    constexpr void add(attr::title text) { title = text.text; }
    constexpr void add(Flag flag) { closed = closed || flag == Flag::closed; }
};

namespace detail {

template <class Item>
inline constexpr std::size_t field_count_of = 0;
template <class T, bool has_details, class Member>
inline constexpr std::size_t field_count_of<FieldOf<T, has_details, Member>> = 1;
template <class Item>
inline constexpr std::size_t detail_count_of = 0;
template <class T, class Member>
inline constexpr std::size_t detail_count_of<FieldOf<T, true, Member>> = 1;

}  // namespace detail

/// Describes T: its name and its fields, in the order in which they are written. The items may also
/// contain at most one rest(), a doc string, `title` and `closed`.
template <class T, class... Items>
constexpr auto describe(std::string_view name, Items const&... items) {
    constexpr std::size_t fields = (detail::field_count_of<Items> + ... + 0);
    constexpr std::size_t details = (detail::detail_count_of<Items> + ... + 0);
    static_assert(fields <= 64, "a described struct has at most 64 fields");
    StructTable<T, fields, details, Items...> table;
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
constexpr void apply(Enumerator& result, attr::title title) {
    result.title = title.text;
}
constexpr void apply(Enumerator& result, attr::name name) {
    result.name = name.wire;
}

}  // namespace detail

/// Describes one enumerator. The attributes may be a title, and attr::name if the name in JSON
/// differs from the C++ name.
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

// The name of T without its namespaces, extracted from the compiler's name of this function.
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

/// The description of T. It comes from one of these:
/// - LANYARD_STRUCT or LANYARD_ENUM;
/// - BOOST_DESCRIBE_STRUCT or BOOST_DESCRIBE_ENUM;
/// - a specialization of this variable template, initialized with the result of describe().
template <class T>
inline constexpr auto description = detail::find_description<T>();

namespace detail {

template <class T>
inline constexpr bool is_struct_table = false;
template <class T, std::size_t N, std::size_t D, class... Items>
inline constexpr bool is_struct_table<StructTable<T, N, D, Items...>> = true;
template <class T>
inline constexpr bool is_enum_table = false;
template <class T, std::size_t N>
inline constexpr bool is_enum_table<EnumTable<T, N>> = true;

// The template parameters show the struct and the type of the member in the compiler's error
// message.
template <class Owner, class Member>
constexpr void require_readable_member() noexcept {
    static_assert(
        is_readable<Member>(),
        "a member of a struct that is read has a type that can only be written (Owner and "
        "Member in the message say which): use std::vector instead of std::span, and "
        "std::string instead of std::string_view");
}

template <class Item>
inline constexpr auto require_readable_item = [] {};
template <class Owner, bool has_details, class Member>
    requires(!std::is_void_v<Member>)
inline constexpr auto require_readable_item<FieldOf<Owner, has_details, Member>> =
    &require_readable_member<Owner, Member>;

template <class T, std::size_t N, std::size_t D, class... Items>
constexpr void require_readable_members(StructTable<T, N, D, Items...> const&) noexcept {
    (require_readable_item<Items>(), ...);
}

template <class T>
void with_default(void (*use)(void const* object, void* state), void* state) {
    if constexpr (std::is_default_constructible_v<T>) {
        T const object{};
        use(&object, state);
    }
}

}  // namespace detail

/// A struct that has a description.
template <class T>
concept DescribedStruct =
    std::is_class_v<T> && detail::is_struct_table<std::remove_const_t<decltype(description<T>)>>;

/// An enumeration that has a description.
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

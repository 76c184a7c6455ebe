// LANYARD_STRUCT and LANYARD_ENUM describe a type's members once: names, meaning and constraints.
// Decoding, encoding and JSON Schema are derived from the description.
//
//     struct Greet { std::string name; int times = 1; };
//     LANYARD_STRUCT(Greet, (name, "Who to greet"),
//                    (times, "How often", min{1}, max{5}, defaulted))
//
//     enum class Color { red, dark_green };
//     LANYARD_ENUM(Color, (red, "Red"), (dark_green, "Dark green", name{"dark-green"}))
//
// The macros are written at namespace scope, in the namespace of the type. A member is given as
// (member, attributes...). The first string is the member's doc (for an enumerator: its title); the
// other attributes are in lanyard/reflect/attributes.hpp. In the macros, `min` means
// lanyard::attr::min, unless the namespace of the type has another `min`. A member without
// attributes needs no parentheses. The struct itself may have attributes too:
//
//     LANYARD_STRUCT((Greet, "A greeting", closed), name, times)
//
// Types described with BOOST_DESCRIBE_STRUCT or BOOST_DESCRIBE_ENUM work unchanged.
#pragma once

#include <concepts>

#include <lanyard/reflect/attributes.hpp>
#include <lanyard/reflect/describe.hpp>

/// Describes a struct with up to 64 members.
#define LANYARD_STRUCT(type, ...)                                                       \
    template <::std::same_as<LANYARD_DETAIL_FIRST(type)> Self>                          \
    [[maybe_unused]] constexpr auto lanyard_describe(::lanyard::reflect::Tag<Self>) {   \
        using namespace ::lanyard::attr;                                                \
        return ::lanyard::reflect::describe<Self>(LANYARD_DETAIL_TYPE(type) __VA_OPT__( \
            LANYARD_DETAIL_EACH(LANYARD_DETAIL_MEMBER, __VA_ARGS__)));                  \
    }

/// Describes an enumeration with up to 64 enumerators. The names of the enumerators are the values
/// in JSON, unless the attribute `name` gives another name.
#define LANYARD_ENUM(type, ...)                                                       \
    template <::std::same_as<type> Self>                                              \
    [[maybe_unused]] constexpr auto lanyard_describe(::lanyard::reflect::Tag<Self>) { \
        using namespace ::lanyard::attr;                                              \
        return ::lanyard::reflect::describe_enum<Self>(                               \
            #type LANYARD_DETAIL_EACH(LANYARD_DETAIL_ENUMERATOR, __VA_ARGS__));       \
    }

// FIRST, TYPE, MEMBER and ENUMERATOR each take `x` or `(x, attributes...)`. The macros with the
// suffix _OF take the same without the parentheses.
#define LANYARD_DETAIL_FIRST(item) LANYARD_DETAIL_APPLY(LANYARD_DETAIL_FIRST_OF, item)
#define LANYARD_DETAIL_FIRST_OF(first, ...) first

#define LANYARD_DETAIL_TYPE(item) LANYARD_DETAIL_APPLY(LANYARD_DETAIL_TYPE_OF, item)
#define LANYARD_DETAIL_TYPE_OF(type, ...) #type __VA_OPT__(, ) __VA_ARGS__

#define LANYARD_DETAIL_MEMBER(item) , LANYARD_DETAIL_APPLY(LANYARD_DETAIL_MEMBER_OF, item)
#define LANYARD_DETAIL_MEMBER_OF(member, ...) \
    ::lanyard::reflect::field<&Self::member, Self>(#member __VA_OPT__(, ) __VA_ARGS__)

#define LANYARD_DETAIL_ENUMERATOR(item) , LANYARD_DETAIL_APPLY(LANYARD_DETAIL_ENUMERATOR_OF, item)
#define LANYARD_DETAIL_ENUMERATOR_OF(value, ...) \
    ::lanyard::reflect::enumerator(Self::value, #value __VA_OPT__(, ) __VA_ARGS__)

// Expands to macro(x) if the item is `x`, and to macro(x, ...) if the item is `(x, ...)`. To tell
// the two forms apart, the macro writes PROBE before the item. If the item has parentheses, the
// result is a call of PROBE, which yields 1 as the second item of a list. Otherwise the second item
// is 0.
#define LANYARD_DETAIL_APPLY(macro, item)                                       \
    LANYARD_DETAIL_JOIN(LANYARD_DETAIL_APPLY_,                                  \
                        LANYARD_DETAIL_SECOND(LANYARD_DETAIL_PROBE item, 0, ~)) \
    (macro, item)
#define LANYARD_DETAIL_PROBE(...) ~, 1
#define LANYARD_DETAIL_SECOND(...) LANYARD_DETAIL_SECOND_OF(__VA_ARGS__)
#define LANYARD_DETAIL_SECOND_OF(first, second, ...) second
#define LANYARD_DETAIL_JOIN(a, b) LANYARD_DETAIL_JOIN_OF(a, b)
#define LANYARD_DETAIL_JOIN_OF(a, b) a##b
#define LANYARD_DETAIL_APPLY_0(macro, item) macro(item)
#define LANYARD_DETAIL_APPLY_1(macro, item) macro item

// Expands to macro(first) macro(second) ... The preprocessor does not expand a macro inside its own
// expansion. Therefore each step ends with a call of the next step (EACH_NEXT PARENS), which is not
// expanded yet. Every time EXPAND scans the text again, one more step is expanded.
#define LANYARD_DETAIL_EACH(macro, ...) \
    LANYARD_DETAIL_EXPAND(LANYARD_DETAIL_EACH_STEP(macro, __VA_ARGS__))
#define LANYARD_DETAIL_EACH_STEP(macro, first, ...) \
    macro(first) __VA_OPT__(LANYARD_DETAIL_EACH_NEXT LANYARD_DETAIL_PARENS(macro, __VA_ARGS__))
#define LANYARD_DETAIL_EACH_NEXT() LANYARD_DETAIL_EACH_STEP
#define LANYARD_DETAIL_PARENS ()
#define LANYARD_DETAIL_EXPAND(...) \
    LANYARD_DETAIL_EXPAND_16(      \
        LANYARD_DETAIL_EXPAND_16(LANYARD_DETAIL_EXPAND_16(LANYARD_DETAIL_EXPAND_16(__VA_ARGS__))))
#define LANYARD_DETAIL_EXPAND_16(...) \
    LANYARD_DETAIL_EXPAND_4(          \
        LANYARD_DETAIL_EXPAND_4(LANYARD_DETAIL_EXPAND_4(LANYARD_DETAIL_EXPAND_4(__VA_ARGS__))))
#define LANYARD_DETAIL_EXPAND_4(...) \
    LANYARD_DETAIL_EXPAND_1(         \
        LANYARD_DETAIL_EXPAND_1(LANYARD_DETAIL_EXPAND_1(LANYARD_DETAIL_EXPAND_1(__VA_ARGS__))))
#define LANYARD_DETAIL_EXPAND_1(...) __VA_ARGS__

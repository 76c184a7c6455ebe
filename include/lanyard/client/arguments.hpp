// Arguments (the arguments of a tool or prompt, for callers that define no struct) and
// ArgumentList. Both can be written in braces inside a co_await expression.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanyard/codec.hpp>
#include <lanyard/json/raw_json.hpp>

namespace lanyard {

namespace detail {

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
template <class T>
inline constexpr bool is_unsafe_temporary = !std::is_reference_v<T> && codec::UnsafeTemporary<T>;

template <class Object>
int refuse_braced_object(auto const&...) {
    static_assert(!std::same_as<Object, JsonObject>,
                  "g++ 12 cannot compile JsonObject{{...}} inside a co_await expression: write "
                  "call_tool(name, lanyard::arguments(\"a\", 40, \"b\", 2)), or give the object a "
                  "name first");
    return 0;
}
#else
template <class T>
inline constexpr bool is_unsafe_temporary = false;
#endif

}  // namespace detail

/// A name and a value of any type that has a codec. An empty optional makes the argument absent.
class Argument {
public:
    Argument() = default;
    template <class Value>
    Argument(std::string_view name, Value&& value) {
        static_assert(!detail::is_unsafe_temporary<Value>,
                      "g++ 12 destroys such a temporary twice inside a co_await expression: give "
                      "the value of the argument a name first");
        using T = std::remove_cvref_t<Value>;
        if constexpr (reflect::is_optional<T>) {
            if (value) *this = Argument(name, std::as_const(*value));
        } else {
            json::Writer writer(text_);
            writer.string(name);
            text_ += ':';
            json::Writer value_writer(text_);
            if constexpr (std::same_as<T, std::nullptr_t>) {
                value_writer.null();
            } else if constexpr (std::convertible_to<T const&, std::string_view>) {
                value_writer.string(value);
            } else {
                encode(value_writer, value);
            }
        }
    }

    /// The argument as a member of a JSON object: `"name":value`. Empty if the argument is absent.
    std::string const& text() const noexcept { return text_; }

private:
    std::string text_;
};

/// The arguments of a tool call or prompt: a JSON object.
///
///     co_await client.call_tool("add", {{"a", 40}, {"b", 2}});
///     co_await client.call_tool("add", lanyard::arguments("a", 40, "b", 2));
///
/// The braced form takes up to twelve arguments. It does not use initializer_list, which g++ 12
/// cannot compile inside a co_await expression.
class Arguments {
public:
    /// No arguments.
    Arguments() = default;
    Arguments(RawJson object) noexcept : object_(std::move(object)) {}
    template <class T>
        requires std::same_as<T, JsonObject> || std::same_as<T, Json> ||
                 std::same_as<T, std::map<std::string, std::string>>
    Arguments(T const& object) : object_(to_raw_json(object)) {}
    Arguments(Argument const& a, Argument const& b = {}, Argument const& c = {},
              Argument const& d = {}, Argument const& e = {}, Argument const& f = {},
              Argument const& g = {}, Argument const& h = {}, Argument const& i = {},
              Argument const& j = {}, Argument const& k = {}, Argument const& l = {});

    /// Joins any number of arguments.
    static Arguments join(std::vector<Argument> const& arguments);

    /// The object as JSON; empty if there are no arguments.
    RawJson const& object() const& noexcept { return object_; }
    RawJson object() && noexcept { return std::move(object_); }
    operator RawJson() const { return object_; }
    /// The arguments in the form that prompts take: strings are unchanged, other values are JSON
    /// text. Throws Error (invalid_argument) if the arguments are not an object.
    std::map<std::string, std::string> as_texts() const;

private:
    RawJson object_;
};

template <>
struct Codec<Arguments> {
    static constexpr reflect::Shape shape{.kind = reflect::Shape::Kind::object};
    static void encode(json::Writer& writer, Arguments const& value, EncodeContext const&) {
        auto const& text = value.object().text();
        writer.raw(text.empty() ? std::string_view("{}") : std::string_view(text));
    }
};

namespace detail {

inline void add_arguments(std::vector<Argument>&) {}
template <class T, class... Rest>
void add_arguments(std::vector<Argument>& list, std::string_view name, T&& value, Rest&&... rest) {
    list.emplace_back(name, std::forward<T>(value));
    add_arguments(list, std::forward<Rest>(rest)...);
}

}  // namespace detail

/// Makes arguments from alternating names and values: arguments("a", 40, "b", 2).
template <class... NamesAndValues>
Arguments arguments(NamesAndValues&&... names_and_values) {
    static_assert(sizeof...(NamesAndValues) % 2 == 0, "each name is followed by its value");
    std::vector<Argument> list;
    list.reserve(sizeof...(NamesAndValues) / 2);
    if constexpr (sizeof...(NamesAndValues) % 2 == 0) {
        detail::add_arguments(list, std::forward<NamesAndValues>(names_and_values)...);
    }
    return Arguments::join(list);
}

namespace detail {

/// A list that can be written in braces inside a co_await expression: {first, second}. Converts
/// from a vector.
template <class T>
class ArgumentList {
public:
    ArgumentList() = default;
    ArgumentList(std::vector<T> items) noexcept : items_(std::move(items)) {}
    template <class... Items>
        requires(sizeof...(Items) > 0 && (std::same_as<std::remove_cvref_t<Items>, T> && ...))
    ArgumentList(Items&&... items) {
        static_assert((!is_unsafe_temporary<Items> && ...),
                      "g++ 12 destroys such a temporary twice inside a co_await expression: give "
                      "each item of the list a name first, or pass a std::vector");
        items_.reserve(sizeof...(Items));
        (items_.push_back(std::forward<Items>(items)), ...);
    }

    std::vector<T> take() && noexcept { return std::move(items_); }

private:
    std::vector<T> items_;
};

}  // namespace detail
}  // namespace lanyard

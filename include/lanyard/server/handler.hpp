// Traits of a handler's signature: its input, whether it takes the Context, and its result.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include <lanyard/task.hpp>

namespace lanyard {

class Context;

}  // namespace lanyard

namespace lanyard::detail {

template <class... Ts>
struct TypeList {};

template <class R, class... Args>
struct Signature {
    using Return = R;
    using Arguments = TypeList<Args...>;
};

template <class F>
struct SignatureOf;
template <class R, class... Args>
struct SignatureOf<R (*)(Args...)> : Signature<R, Args...> {};
template <class R, class... Args>
struct SignatureOf<R (*)(Args...) noexcept> : Signature<R, Args...> {};
template <class F, class R, class... Args>
struct SignatureOf<R (F::*)(Args...)> : Signature<R, Args...> {};
template <class F, class R, class... Args>
struct SignatureOf<R (F::*)(Args...) const> : Signature<R, Args...> {};
template <class F, class R, class... Args>
struct SignatureOf<R (F::*)(Args...) noexcept> : Signature<R, Args...> {};
template <class F, class R, class... Args>
struct SignatureOf<R (F::*)(Args...) const noexcept> : Signature<R, Args...> {};
template <class F>
    requires requires { &F::operator(); }
struct SignatureOf<F> : SignatureOf<decltype(&F::operator())> {};

/// A function, or an object with exactly one operator(), which is not a template.
template <class F>
concept HandlerObject = requires { typename SignatureOf<std::decay_t<F>>::Return; };

template <class R>
struct TaskValue {
    using Type = R;
    static constexpr bool is_task = false;
};
template <class R>
struct TaskValue<Task<R>> {
    using Type = R;
    static constexpr bool is_task = true;
};

/// The input type of a handler without an input.
struct NoInput {};

template <class Arguments>
struct Parameters {
    static constexpr bool valid = false;
};
template <>
struct Parameters<TypeList<>> {
    static constexpr bool valid = true;
    static constexpr bool takes_context = false;
    using Input = NoInput;
};
template <>
struct Parameters<TypeList<Context&>> {
    static constexpr bool valid = true;
    static constexpr bool takes_context = true;
    using Input = NoInput;
};
template <class In>
    requires(!std::same_as<std::remove_cvref_t<In>, Context>)
struct Parameters<TypeList<In>> {
    static constexpr bool valid = true;
    static constexpr bool takes_context = false;
    using Input = std::remove_cvref_t<In>;
};
template <class In>
    requires(!std::same_as<std::remove_cvref_t<In>, Context>)
struct Parameters<TypeList<In, Context&>> {
    static constexpr bool valid = true;
    static constexpr bool takes_context = true;
    using Input = std::remove_cvref_t<In>;
};

/// The parameters and the result of a handler of the form (), (Input), (Context&) or (Input,
/// Context&).
template <class F>
struct HandlerTraits {
    using Shape = Parameters<typename SignatureOf<F>::Arguments>;
    using Input = typename Shape::Input;
    using Return = typename SignatureOf<F>::Return;
    using Value = std::remove_cvref_t<typename TaskValue<Return>::Type>;
    static constexpr bool takes_context = Shape::takes_context;
    static constexpr bool takes_input = !std::same_as<Input, NoInput>;
    static constexpr bool is_task = TaskValue<Return>::is_task;

    static Return invoke(F& handler, [[maybe_unused]] Input& input,
                         [[maybe_unused]] Context& context) {
        if constexpr (takes_input && takes_context) {
            return std::invoke(handler, std::move(input), context);
        } else if constexpr (takes_input) {
            return std::invoke(handler, std::move(input));
        } else if constexpr (takes_context) {
            return std::invoke(handler, context);
        } else {
            return std::invoke(handler);
        }
    }
};

template <class F>
inline constexpr bool has_handler_form = false;
template <HandlerObject F>
inline constexpr bool has_handler_form<F> = Parameters<typename SignatureOf<F>::Arguments>::valid;

}  // namespace lanyard::detail

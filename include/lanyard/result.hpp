// Result<T, E>: a value or an error, with the interface of C++23's std::expected.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

namespace lanyard {

class Error;

/// Wraps an error. The wrapper converts to any Result with this error type.
template <class E>
class Unexpected {
public:
    explicit constexpr Unexpected(E error) : error_(std::move(error)) {}

    constexpr E const& error() const& noexcept { return error_; }
    constexpr E&& error() && noexcept { return std::move(error_); }

private:
    E error_;
};

template <class E>
Unexpected(E) -> Unexpected<E>;

/// A value of type T, or the error that explains why there is no value.
///
/// The accessors have std::expected's meaning: operator* and operator-> require a value, error()
/// requires an error, and value() throws the error (an E) if there is no value.
template <class T, class E = Error>
class [[nodiscard]] Result {
public:
    using value_type = T;
    using error_type = E;

    constexpr Result()
        requires std::default_initializable<T>
        : state_(std::in_place_index<0>) {}

    template <class U = T>
        requires(std::constructible_from<T, U &&> &&
                 !std::same_as<std::remove_cvref_t<U>, Result> &&
                 !std::same_as<std::remove_cvref_t<U>, Unexpected<E>>)
    constexpr explicit(!std::convertible_to<U&&, T>) Result(U&& value)
        : state_(std::in_place_index<0>, std::forward<U>(value)) {}

    template <class G>
        requires std::constructible_from<E, G>
    constexpr Result(Unexpected<G> error)
        : state_(std::in_place_index<1>, std::move(error).error()) {}

    template <class G>
        requires std::constructible_from<E, G>
    constexpr Result& operator=(Unexpected<G> error) {
        state_.template emplace<1>(std::move(error).error());
        return *this;
    }

    constexpr bool has_value() const noexcept { return state_.index() == 0; }
    constexpr explicit operator bool() const noexcept { return has_value(); }

    constexpr T& operator*() & noexcept { return *std::get_if<0>(&state_); }
    constexpr T const& operator*() const& noexcept { return *std::get_if<0>(&state_); }
    constexpr T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
    constexpr T* operator->() noexcept { return std::get_if<0>(&state_); }
    constexpr T const* operator->() const noexcept { return std::get_if<0>(&state_); }

    constexpr E& error() & noexcept { return *std::get_if<1>(&state_); }
    constexpr E const& error() const& noexcept { return *std::get_if<1>(&state_); }
    constexpr E&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

    constexpr T& value() & {
        if (!has_value()) throw error();
        return **this;
    }
    constexpr T const& value() const& {
        if (!has_value()) throw error();
        return **this;
    }
    constexpr T&& value() && {
        if (!has_value()) throw std::move(*this).error();
        return *std::move(*this);
    }

    template <class U>
    constexpr T value_or(U&& fallback) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(fallback));
    }
    template <class U>
    constexpr T value_or(U&& fallback) && {
        return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(fallback));
    }

    /// If there is a value, calls f with it and returns the Result that f returns; otherwise
    /// returns the error.
    template <class F>
    constexpr auto and_then(F&& f) && {
        using Next = std::remove_cvref_t<std::invoke_result_t<F, T&&>>;
        if (has_value()) return std::invoke(std::forward<F>(f), *std::move(*this));
        return Next(Unexpected(std::move(*this).error()));
    }

    /// If there is a value, calls f with it and returns a Result with the value that f returns;
    /// otherwise returns the error.
    template <class F>
    constexpr auto transform(F&& f) && {
        using Next = Result<std::remove_cvref_t<std::invoke_result_t<F, T&&>>, E>;
        if (has_value()) return Next(std::invoke(std::forward<F>(f), *std::move(*this)));
        return Next(Unexpected(std::move(*this).error()));
    }

private:
    std::variant<T, E> state_;
};

/// Success without a value, or an error.
template <class E>
class [[nodiscard]] Result<void, E> {
public:
    using value_type = void;
    using error_type = E;

    constexpr Result() = default;

    template <class G>
        requires std::constructible_from<E, G>
    constexpr Result(Unexpected<G> error)
        : state_(std::in_place_index<1>, std::move(error).error()) {}

    constexpr bool has_value() const noexcept { return state_.index() == 0; }
    constexpr explicit operator bool() const noexcept { return has_value(); }

    constexpr E& error() & noexcept { return *std::get_if<1>(&state_); }
    constexpr E const& error() const& noexcept { return *std::get_if<1>(&state_); }
    constexpr E&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

    constexpr void value() const {
        if (!has_value()) throw error();
    }

private:
    std::variant<std::monostate, E> state_;
};

}  // namespace lanyard

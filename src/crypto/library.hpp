// Library: a shared library that is loaded when something of it is first needed, and LazyFunction:
// one of its functions.
#pragma once

#include <atomic>

#include "lanyard/result.hpp"

namespace lanyard::crypto {

/// Any thread may use it. Once loaded it stays.
class Library {
public:
    /// The name is that of the file without its folder, as the system's loader knows it, and a
    /// literal.
    constexpr explicit Library(char const* name) noexcept : name_(name) {}

    /// Fails with unavailable where the system does not have it.
    Result<void> load() const;
    /// The address of a function. Throws Error (unavailable) where the library or the function is
    /// missing.
    void* find(char const* function) const;

private:
    char const* name_;
    mutable std::atomic<void*> handle_ = nullptr;
};

template <class Signature>
class LazyFunction;

/// Called like the function itself; throws Error as Library::find(), the first time.
template <class R, class... Parameters>
class LazyFunction<R(Parameters...)> {
public:
    constexpr LazyFunction(Library const& library, char const* name) noexcept
        : library_(library), name_(name) {}

    R operator()(Parameters... arguments) const {
        auto* function = function_.load(std::memory_order_acquire);
        if (function == nullptr) {
            function = reinterpret_cast<R (*)(Parameters...)>(library_.find(name_));
            function_.store(function, std::memory_order_release);
        }
        return function(arguments...);
    }

private:
    Library const& library_;
    char const* name_;
    mutable std::atomic<R (*)(Parameters...)> function_ = nullptr;
};

}  // namespace lanyard::crypto

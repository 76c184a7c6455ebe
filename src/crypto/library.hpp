// Library: a shared library that is loaded on first use, and LazyFunction: one of its functions.
#pragma once

#include <atomic>

#include "lanyard/result.hpp"

namespace lanyard::crypto {

/// A shared library that is loaded on first use and then stays loaded until the process ends.
/// Thread-safe.
class Library {
public:
    /// `name` is the file name without a folder, as passed to dlopen(). It must be a string
    /// literal.
    constexpr explicit Library(char const* name) noexcept : name_(name) {}

    /// Fails with Errc::unavailable if the system does not have the library.
    Result<void> load() const;
    /// Returns the address of a function. Throws Error (unavailable) if the library or the function
    /// is missing.
    void* find(char const* function) const;

private:
    char const* name_;
    mutable std::atomic<void*> handle_ = nullptr;
};

template <class Signature>
class LazyFunction;

/// A function of a Library, called like the function itself. The first call throws the same errors
/// as Library::find().
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

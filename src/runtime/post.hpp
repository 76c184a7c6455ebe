// post_always(): posts functions that must run even if memory runs out, because a caller waits
// for their effect.
#pragma once

#include <cstddef>
#include <new>
#include <thread>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace lanyard::runtime {

/// Returns memory for a posted function from a fixed reserve. Returns null if `bytes` is larger
/// than a piece of the reserve, or if the reserve is used up.
void* take_reserve(std::size_t bytes) noexcept;
/// Returns false if the memory is not from the reserve.
bool give_back_reserve(void* memory) noexcept;

namespace detail {

/// Takes memory from the reserve if there is none elsewhere.
template <class T>
struct ReserveAllocator {
    using value_type = T;

    ReserveAllocator() = default;
    template <class U>
    ReserveAllocator(ReserveAllocator<U> const&) noexcept {}

    T* allocate(std::size_t count) {
        auto const bytes = count * sizeof(T);
        auto* memory = ::operator new(bytes, std::nothrow);
        if (memory == nullptr) memory = take_reserve(bytes);
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept {
        if (!give_back_reserve(memory)) ::operator delete(memory);
    }
    template <class U>
    bool operator==(ReserveAllocator<U> const&) const noexcept {
        return true;
    }
};

template <class F>
void post_from_reserve(boost::asio::any_io_executor const& executor, F const& function) {
    namespace execution = boost::asio::execution;
    auto const* const plain = executor.target<boost::asio::io_context::executor_type>();
    if (plain == nullptr) {
        boost::asio::post(executor, F(function));
        return;
    }
    auto const never = boost::asio::require(*plain, execution::blocking.never);
    boost::asio::require(never, execution::allocator(ReserveAllocator<void*>()))
        .execute(F(function));
}

}  // namespace detail

/// Same as boost::asio::post(), but cannot fail for lack of memory if the executor is that of an
/// io_context, unless very many functions are waiting. With other executors it waits for memory.
/// The function must be copyable.
template <class F>
void post_always(boost::asio::any_io_executor const& executor, F const& function) {
    for (;;) {
        try {
            boost::asio::post(executor, F(function));
            return;
        } catch (std::bad_alloc const&) {
            // Tries again, with the reserve.
        }
        try {
            detail::post_from_reserve(executor, function);
            return;
        } catch (std::bad_alloc const&) {
            std::this_thread::yield();
        }
    }
}

}  // namespace lanyard::runtime

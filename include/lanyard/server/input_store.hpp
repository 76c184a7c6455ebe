// InputStore: memory for the decoded input of a call, of any type.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace lanyard::detail {

/// Holds one value at a time. The memory is reused for the next value.
class InputStore {
public:
    InputStore() = default;
    InputStore(InputStore const&) = delete;
    InputStore& operator=(InputStore const&) = delete;
    ~InputStore() { clear(); }

    /// Replaces the current value with a new one.
    template <class T>
    T& emplace() {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                      "the input of a tool cannot have a stricter alignment than new gives");
        clear();
        if (size_ < sizeof(T)) grow(sizeof(T));
        auto* const value = ::new (room_.get()) T{};
        if constexpr (!std::is_trivially_destructible_v<T>) {
            destroy_ = [](void* former) { static_cast<T*>(former)->~T(); };
        }
        return *value;
    }
    /// The current value; T must be the type with which it was created.
    template <class T>
    T& get() noexcept {
        return *std::launder(reinterpret_cast<T*>(room_.get()));
    }
    void clear() noexcept {
        if (destroy_ != nullptr) std::exchange(destroy_, nullptr)(room_.get());
    }

private:
    void grow(std::size_t size) {
        room_ = std::make_unique_for_overwrite<std::byte[]>(size);
        size_ = size;
    }

    std::unique_ptr<std::byte[]> room_;
    std::size_t size_ = 0;
    void (*destroy_)(void*) = nullptr;  // destructor of the current value; null if there is none
};

}  // namespace lanyard::detail

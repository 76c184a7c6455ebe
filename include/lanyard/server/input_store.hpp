// InputStore: memory for the decoded input of a call, whatever its type.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace lanyard::server {

/// Holds one value. Its memory is used again for the next.
class InputStore {
public:
    InputStore() = default;
    InputStore(InputStore const&) = delete;
    InputStore& operator=(InputStore const&) = delete;
    ~InputStore() { clear(); }

    /// Replaces what is there by a new value.
    template <class T>
    T& emplace() {
        clear();
        auto* const value = ::new (room(sizeof(T), alignof(T))) T{};
        value_ = value;
        destroy_ = [](void* former) { static_cast<T*>(former)->~T(); };
        return *value;
    }
    /// The value, of the type that it was made with.
    template <class T>
    T& get() noexcept {
        return *static_cast<T*>(value_);
    }
    void clear() noexcept {
        if (value_ != nullptr) destroy_(std::exchange(value_, nullptr));
    }

private:
    void* room(std::size_t size, std::size_t alignment) {
        for (;;) {
            void* at = room_.get();
            std::size_t space = size_;
            if (at != nullptr && std::align(alignment, size, at, space) != nullptr) return at;
            size_ = size + alignment;
            room_ = std::make_unique_for_overwrite<std::byte[]>(size_);
        }
    }

    std::unique_ptr<std::byte[]> room_;
    std::size_t size_ = 0;
    void* value_ = nullptr;
    void (*destroy_)(void*) = nullptr;
};

}  // namespace lanyard::server

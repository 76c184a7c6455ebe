// Scratch: an uninitialized buffer of bytes that are written before they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace lanyard {

/// Unlike a vector it is not zero-filled, so pages that are never touched take no memory.
class Scratch {
public:
    explicit Scratch(std::size_t size)
        : bytes_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}

    char* data() noexcept { return bytes_.get(); }
    std::size_t size() const noexcept { return size_; }
    operator std::span<char>() noexcept { return {data(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

}  // namespace lanyard

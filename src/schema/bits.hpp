// A set of small numbers, used to mark which members or elements have been evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lanyard::schema {

/// A fixed number of bits, all clear at first; up to 64 bits need no allocation.
class Bits {
public:
    explicit Bits(std::size_t size) : size_(size) {
        if (size > 64) more_ = std::make_unique<std::uint64_t[]>(words());
    }

    std::size_t size() const noexcept { return size_; }
    std::size_t words() const noexcept { return (size_ + 63) / 64; }

    void set(std::size_t i) noexcept { data()[i / 64] |= std::uint64_t{1} << (i % 64); }
    bool test(std::size_t i) const noexcept {
        return (data()[i / 64] >> (i % 64) & std::uint64_t{1}) != 0;
    }
    void set_all() noexcept {
        for (std::size_t i = 0; i < words(); ++i) data()[i] = ~std::uint64_t{0};
    }
    /// Sets all bits that are set in `other`, which must have the same size.
    void merge(Bits const& other) noexcept {
        for (std::size_t i = 0; i < words(); ++i) data()[i] |= other.data()[i];
    }

private:
    std::uint64_t* data() noexcept { return more_ ? more_.get() : &first_; }
    std::uint64_t const* data() const noexcept { return more_ ? more_.get() : &first_; }

    std::size_t size_;
    std::uint64_t first_ = 0;
    std::unique_ptr<std::uint64_t[]> more_;
};

}  // namespace lanyard::schema

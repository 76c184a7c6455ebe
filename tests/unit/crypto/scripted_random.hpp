// Random bytes that are chosen by a test.
#pragma once

#include <string>
#include <string_view>

#include "lanyard/clock.hpp"

namespace lanyard::test {

/// Returns the given bytes in an endless loop.
class ScriptedRandom final : public Random {
public:
    explicit ScriptedRandom(std::string_view script) : script_(script) {}

    void fill(std::span<std::byte> bytes) override {
        for (auto& byte : bytes) byte = static_cast<std::byte>(script_[next_++ % script_.size()]);
    }

private:
    std::string script_;
    std::size_t next_ = 0;
};

}  // namespace lanyard::test

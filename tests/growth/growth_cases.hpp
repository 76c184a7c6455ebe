// The cases that the growth probe measures: one list per area.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lanyard::growth {

/// An operation on an input of a given size.
struct Case {
    std::string name;
    /// Builds the input and returns the operation to measure.
    std::function<std::function<void()>(std::size_t size)> prepare;
    std::size_t size = 100'000;
};

std::vector<Case> codec_cases();
std::vector<Case> http_cases();
std::vector<Case> json_cases();
std::vector<Case> rpc_cases();
std::vector<Case> server_cases();

}  // namespace lanyard::growth

// Instances of every protocol type: the smallest one, and others that together set every member.
// Each states the revisions in which it can be written.
#pragma once

#include <vector>

#include "lanyard/protocol/error_data.hpp"
#include "lanyard/protocol/methods.hpp"

namespace lanyard::test {

constexpr auto v1 = Version::v2024_11_05;
constexpr auto v2 = Version::v2025_03_26;
constexpr auto v3 = Version::v2025_06_18;
constexpr auto v4 = Version::v2025_11_25;
constexpr auto v5 = Version::v2026_07_28;

template <class T>
struct Sample {
    T value;
    Version since = v1;
    Version until = v5;
};

template <class T>
std::vector<Sample<T>> samples();

inline Meta some_meta() {
    return Meta(JsonObject{{"com.example/key", {{"a", 1}}}, {"traceparent", "x"}});
}

inline Meta request_meta() {
    auto meta = some_meta();
    meta.set_progress_token("token");
    return meta;
}

inline RawJson raw(char const* text) {
    return RawJson::trusted(text);
}

}  // namespace lanyard::test

// AtEnd: calls a function at the end of a scope.
#pragma once

#include <utility>

namespace lanyard {

/// For a coroutine whose end another coroutine waits for: the function is called even if the
/// coroutine throws or is destroyed because there is no memory to continue it.
template <class F>
class AtEnd {
public:
    explicit AtEnd(F function) : function_(std::move(function)) {}
    ~AtEnd() { function_(); }
    AtEnd(AtEnd const&) = delete;
    AtEnd& operator=(AtEnd const&) = delete;

private:
    F function_;
};

}  // namespace lanyard

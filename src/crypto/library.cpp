#include "crypto/library.hpp"

#include <string>

#include <dlfcn.h>

#include "lanyard/error.hpp"

namespace lanyard::crypto {

namespace {

Error missing(std::string_view what) {
    char const* const why = dlerror();
    return {Errc::unavailable,
            std::string(what) + " cannot be used: " + (why != nullptr ? why : "unknown error")};
}

}  // namespace

Result<void> Library::load() const {
    if (handle_.load(std::memory_order_acquire) != nullptr) return {};
    // If two threads load the library at the same time, both receive the same handle from dlopen().
    auto* const handle = dlopen(name_, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return Unexpected(missing(name_));
    handle_.store(handle, std::memory_order_release);
    return {};
}

void* Library::find(char const* function) const {
    if (auto const loaded = load(); !loaded) throw loaded.error();
    auto* const address = dlsym(handle_.load(std::memory_order_acquire), function);
    if (address == nullptr) throw missing(function);
    return address;
}

}  // namespace lanyard::crypto

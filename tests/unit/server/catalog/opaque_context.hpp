// A Context for handlers that only pass it on.
#pragma once

#include <cstddef>

#include "lanyard/server/handler.hpp"

namespace lanyard::server {

/// A placeholder: calling any of its members is undefined behaviour.
inline Context& opaque_context() {
    alignas(std::max_align_t) static std::byte place[1];
    return reinterpret_cast<Context&>(place);
}

}  // namespace lanyard::server

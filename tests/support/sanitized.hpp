// Whether this build has a sanitizer; its memory usage then says nothing about the program.
#pragma once

namespace lanyard::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

// Whether the undefined behaviour sanitizer checks the types of objects. The checks need free file
// descriptors: without them they report types that are right.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define LANYARD_TYPES_ARE_CHECKED
#endif
#endif

}  // namespace lanyard::test

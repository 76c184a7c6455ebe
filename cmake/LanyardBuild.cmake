# Compiler settings shared by every target: warnings, hardening, sanitizers, coverage, ccache,
# output folders.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    find_program(LANYARD_CCACHE ccache)
    if(LANYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        # The sloppiness lets ccache work together with precompiled headers. The other two settings
        # let all checkouts of the tree share the cache; the debug information of a cached object
        # may name the folder of another checkout.
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
            "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
            CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
            "${LANYARD_CCACHE}")
    endif()
endif()

# Targets of Lanyard itself have this property. Those of a project that contains Lanyard do not.
define_property(TARGET PROPERTY LANYARD_OWN_CODE INITIALIZE_FROM_VARIABLE LANYARD_OWN_CODE)
set(LANYARD_OWN_CODE ON)

# Settings for Lanyard's own code only; consumers of the library do not inherit them.
add_library(lanyard_build_settings INTERFACE)
target_compile_options(lanyard_build_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Nobody replaces functions of the library at run time, so calls inside it may be inlined. clang
    # assumes that by itself.
    target_compile_options(lanyard_build_settings INTERFACE -fno-semantic-interposition)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # With optimisation g++ 12 takes the inline buffer of a std::string for all it can hold and warns
    # about copies that go to its heap buffer. Newer compilers and clang check the same code.
    target_compile_options(lanyard_build_settings INTERFACE
        -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
    # Where it inlines the allocation of a coroutine's frame, it takes the deallocation for a wrong one.
    target_compile_options(lanyard_build_settings INTERFACE -Wno-mismatched-new-delete)
endif()
if(LANYARD_LINK_OPENSSL)
    target_compile_definitions(lanyard_build_settings INTERFACE LANYARD_LINK_OPENSSL)
endif()
if(LANYARD_WERROR)
    target_compile_options(lanyard_build_settings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Without a timestamp in it, a precompiled header can be cached.
    target_compile_options(lanyard_build_settings INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
    # libstdc++ 12 uses a function that it has deprecated itself (std::stable_sort's buffer), which
    # clang reports once the header comes precompiled.
    target_compile_options(lanyard_build_settings INTERFACE -Wno-deprecated-declarations)
endif()

# What ships is hardened and small; what only tests run checks the standard library's preconditions
# too.
if(LANYARD_SANITIZE OR LANYARD_COVERAGE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_definitions(lanyard_build_settings INTERFACE _GLIBCXX_ASSERTIONS)
else()
    target_compile_options(lanyard_build_settings INTERFACE
        -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -ffunction-sections)
    include(CheckLinkerFlag)
    check_linker_flag(CXX -Wl,--gc-sections LANYARD_DROPS_UNUSED)
    if(LANYARD_DROPS_UNUSED)
        target_link_options(lanyard_build_settings INTERFACE -Wl,--gc-sections)
    endif()
    # A bit instead of 24 bytes for most relocations. Whether it works is up to the C library, too.
    if(NOT CMAKE_CROSSCOMPILING)
        include(CheckCXXSourceRuns)
        set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
        check_cxx_source_runs("int main() { return 0; }" LANYARD_PACKS_RELOCATIONS)
        unset(CMAKE_REQUIRED_LINK_OPTIONS)
    endif()
    if(LANYARD_PACKS_RELOCATIONS)
        target_link_options(lanyard_build_settings INTERFACE -Wl,-z,pack-relative-relocs)
    endif()
endif()

if(LANYARD_SANITIZE)
    target_compile_options(lanyard_build_settings INTERFACE
        -fsanitize=${LANYARD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(lanyard_build_settings INTERFACE -fsanitize=${LANYARD_SANITIZE})
endif()
if(LANYARD_BUILD_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "LANYARD_BUILD_FUZZ needs clang (libFuzzer): use the preset 'fuzz'.")
    endif()
    target_compile_options(lanyard_build_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The libraries are counted, and the tests of the layers whose branches are gated. Other tests only run.
# Threads share the counters, and a count that one of them loses can make another negative.
add_library(lanyard_counted INTERFACE)
if(LANYARD_COVERAGE)
    target_compile_options(lanyard_build_settings INTERFACE -O0 -fno-inline)
    target_compile_options(lanyard_counted INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(lanyard_build_settings INTERFACE --coverage)
endif()

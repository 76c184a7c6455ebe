# Third-party libraries, with a message that says what to install where one is missing.
set(CMAKE_THREAD_PREFER_PTHREAD ON)
find_package(Threads REQUIRED)

find_package(Boost 1.81 QUIET COMPONENTS json)
if(NOT Boost_FOUND)
    message(FATAL_ERROR
        "Lanyard needs Boost 1.81 or newer with Boost.JSON. On Debian 12: "
        "apt-get install libboost1.81-dev libboost-json1.81-dev. "
        "(libboost-dev and libboost-all-dev are 1.74 there and remove the 1.81 packages.)")
endif()
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
find_package(simdjson REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)

# lanyard_use_openssl(<target> <component>): crypto/libcrypto.hpp says why it is not linked.
function(lanyard_use_openssl target component)
    if(LANYARD_LINK_OPENSSL)
        target_link_libraries(${target} PRIVATE OpenSSL::${component})
    else()
        target_include_directories(${target} SYSTEM PRIVATE ${OPENSSL_INCLUDE_DIR})
        target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
    endif()
endfunction()

# Install rules: libraries, public headers, the CMake package, the pkg-config files and the licence.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(LanyardStrip)

# lanyard_linker_flags(<variable> <imported library>...): how a linker is told of them.
function(lanyard_linker_flags variable)
    set(flags "")
    foreach(target IN LISTS ARGN)
        get_target_property(file ${target} LOCATION)
        cmake_path(GET file PARENT_PATH folder)
        cmake_path(GET file STEM library)
        string(REGEX REPLACE "^lib" "" library "${library}")
        if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
            list(APPEND flags "-L${folder}")
        endif()
        list(APPEND flags "-l${library}")
    endforeach()
    list(REMOVE_DUPLICATES flags)
    string(JOIN " " flags ${flags})
    set(${variable} "${flags}" PARENT_SCOPE)
endfunction()

set(lanyard_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lanyard")

set(lanyard_installed lanyard_core lanyard_third_party lanyard_runtime lanyard_server lanyard_client
    lanyard_auth lanyard_sockets lanyard_transport lanyard_http lanyard_files lanyard_proxy
    lanyard_testing lanyard_umbrella)
# Shared libraries find each other in their own folder.
set_target_properties(${lanyard_installed} PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ${lanyard_installed} EXPORT lanyardTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
lanyard_install_stripped(${lanyard_installed})
install(EXPORT lanyardTargets NAMESPACE lanyard:: DESTINATION ${lanyard_package_dir})

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/lanyardConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/lanyardConfig.cmake" INSTALL_DESTINATION ${lanyard_package_dir})
# Before 1.0 a minor version may break the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lanyardConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lanyardConfig.cmake"
              "${PROJECT_BINARY_DIR}/lanyardConfigVersion.cmake"
        DESTINATION ${lanyard_package_dir})

# A static library cannot carry its dependencies, so pkg-config has to name them. It names libraries, not packages:
# those would also hand on compiler flags, which are for who uses simdjson or RE2 itself to choose.
set(lanyard_pc_libs "")
if(NOT BUILD_SHARED_LIBS)
    lanyard_linker_flags(lanyard_pc_libs simdjson::simdjson)
    string(JOIN " " lanyard_pc_re2 ${RE2_LDFLAGS})
    string(APPEND lanyard_pc_libs " ${lanyard_pc_re2}")
    if(LANYARD_LINK_OPENSSL)
        lanyard_linker_flags(lanyard_pc_openssl OpenSSL::SSL OpenSSL::Crypto)
        string(APPEND lanyard_pc_libs " ${lanyard_pc_openssl}")
    endif()
endif()
# The prefix is relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH lanyard_pc_prefix
    "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(package lanyard lanyard-testing)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/lanyard)

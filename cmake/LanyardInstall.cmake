# Install rules: libraries, public headers, the CMake package and the pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(lanyard_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lanyard")

install(TARGETS lanyard_core lanyard_net lanyard_runtime lanyard_server lanyard_client
        lanyard_auth lanyard_sockets lanyard_transport lanyard_http lanyard_files lanyard_testing
        lanyard_umbrella EXPORT lanyardTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
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

# A static library cannot carry its dependencies, so there they are public for pkg-config.
if(BUILD_SHARED_LIBS)
    set(lanyard_pc_requires "Requires.private")
else()
    set(lanyard_pc_requires "Requires")
endif()
if(LANYARD_LINK_OPENSSL)
    set(lanyard_pc_openssl " libssl libcrypto")
endif()
# The prefix is relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH lanyard_pc_prefix
    "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/lanyard.pc.in" "${PROJECT_BINARY_DIR}/lanyard.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/lanyard.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

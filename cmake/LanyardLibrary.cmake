# lanyard_add_library(<name> LINK <public dependency>... SOURCES <file>...) makes lanyard::<name>, one
# of the libraries above the core.
function(lanyard_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;SOURCES")
    set(target lanyard_${name})
    add_library(${target} ${arg_SOURCES})
    add_library(lanyard::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES
        EXPORT_NAME ${name}
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target}
        PUBLIC ${arg_LINK}
        PRIVATE $<BUILD_INTERFACE:lanyard_build_settings> $<BUILD_INTERFACE:lanyard_counted>)
    # One precompiled header serves them all.
    if(name STREQUAL "runtime")
        target_precompile_headers(${target} PRIVATE <runtime/pch.hpp>)
    else()
        target_precompile_headers(${target} REUSE_FROM lanyard_runtime)
    endif()
endfunction()

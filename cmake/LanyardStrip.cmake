# lanyard_install_stripped(<target>...): install rules that remove the debug information from the installed files of
# these targets, and not from those of the build tree.
#
# The debug information of programs and shared libraries is kept in `.debug` files, which the component "debug"
# installs next to them, in the folder `.debug`: debuggers search it, whatever the prefix is. An installed file names
# its `.debug` file and the checksum of that file.
option(LANYARD_INSTALL_UNSTRIPPED "Leave the debug information in the installed files" OFF)

if(NOT LANYARD_INSTALL_UNSTRIPPED AND NOT (CMAKE_OBJCOPY AND CMAKE_STRIP))
    message(FATAL_ERROR "objcopy and strip (binutils) are needed to install Lanyard without debug information. "
                        "LANYARD_INSTALL_UNSTRIPPED=ON installs it with debug information.")
endif()

function(lanyard_install_stripped)
    if(LANYARD_INSTALL_UNSTRIPPED)
        return()
    endif()
    foreach(target IN LISTS ARGN)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "INTERFACE_LIBRARY")
            continue()
        elseif(type STREQUAL "STATIC_LIBRARY")
            install(CODE "
                set(LANYARD_INSTALLED \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${target}>\")
                execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug --enable-deterministic-archives
                    \"\${LANYARD_INSTALLED}\" COMMAND_ERROR_IS_FATAL ANY)")
            continue()
        elseif(type STREQUAL "EXECUTABLE")
            set(folder "${CMAKE_INSTALL_BINDIR}")
            set(strip --strip-all)
        else()
            set(folder "${CMAKE_INSTALL_LIBDIR}")
            set(strip --strip-unneeded)
        endif()
        set(debug_file "${PROJECT_BINARY_DIR}/debug/$<TARGET_FILE_NAME:${target}>.debug")
        set(separate "
            file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/debug\")
            execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --only-keep-debug \"$<TARGET_FILE:${target}>\" \"${debug_file}\"
                COMMAND_ERROR_IS_FATAL ANY)")
        install(CODE "${separate}
            set(LANYARD_INSTALLED \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\")
            execute_process(COMMAND \"${CMAKE_STRIP}\" ${strip} \"\${LANYARD_INSTALLED}\" COMMAND_ERROR_IS_FATAL ANY)
            execute_process(COMMAND \"${CMAKE_OBJCOPY}\" \"--add-gnu-debuglink=${debug_file}\" \"\${LANYARD_INSTALLED}\"
                COMMAND_ERROR_IS_FATAL ANY)")
        install(CODE "${separate}" COMPONENT debug EXCLUDE_FROM_ALL)
        install(FILES "${debug_file}" DESTINATION "${folder}/.debug" COMPONENT debug EXCLUDE_FROM_ALL)
    endforeach()
endfunction()

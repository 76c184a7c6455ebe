# Manual pages and completions of the program. The program writes them itself, after it has been linked.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(WARNING "Without CMAKE_CROSSCOMPILING_EMULATOR, no manual pages and completions are installed: "
                    "the program that writes them cannot run here.")
    return()
endif()

set(documents "${CMAKE_CURRENT_BINARY_DIR}/documents")
add_custom_command(TARGET lanyard POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${documents}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${documents}"
    COMMAND lanyard help --man-pages "${documents}/man1"
    COMMAND lanyard completion bash > "${documents}/lanyard.bash"
    COMMAND lanyard completion zsh > "${documents}/_lanyard"
    COMMAND lanyard completion fish > "${documents}/lanyard.fish"
    VERBATIM)
install(DIRECTORY "${documents}/man1" DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES "${documents}/lanyard.bash" RENAME lanyard
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
install(FILES "${documents}/_lanyard" DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/site-functions)
install(FILES "${documents}/lanyard.fish" DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d)

# lanyard_add_test(NAME source...): a GoogleTest executable over the library and its private headers.
function(lanyard_add_test name)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE lanyard::core lanyard_build_settings lanyard_test_support
                                          GTest::gmock GTest::gtest)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND ${name})
    # A test program that skips something prints SKIPPED; tests/support/main.cpp turns that into a
    # failure when CI=true.
    set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()

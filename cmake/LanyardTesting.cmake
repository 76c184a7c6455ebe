# Helpers for tests, benchmarks and fuzz targets.

# lanyard_add_test(NAME source...): a GoogleTest executable over the library and its private headers.
function(lanyard_add_test name)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE lanyard::core lanyard_build_settings ${lanyard_test_counting}
                                          lanyard_test_support GTest::gmock GTest::gtest)
    target_precompile_headers(${name} REUSE_FROM lanyard_test_support)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME ${name} COMMAND ${name})
    # A guard against hangs, not a measure of anything.
    set_tests_properties(${name} PROPERTIES TIMEOUT ${LANYARD_TEST_TIMEOUT})
endfunction()

# lanyard_split_test(NAME count): runs a test in so many parts, side by side if ctest has several jobs. For
# tests that mostly wait.
function(lanyard_split_test name count)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=0")
    math(EXPR last "${count} - 1")
    foreach(part RANGE 1 ${last})
        add_test(NAME ${name}_${part} COMMAND ${name})
        set_tests_properties(${name}_${part} PROPERTIES
            TIMEOUT ${LANYARD_TEST_TIMEOUT}
            ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${part}")
    endforeach()
endfunction()

# lanyard_add_allocation_test(NAME source library...): a test that counts every allocation of its
# program. It replaces malloc, which sanitizers do themselves, so it is left out there.
function(lanyard_add_allocation_test name source)
    if(LANYARD_SANITIZE)
        return()
    endif()
    lanyard_add_test(${name} ${source} ${PROJECT_SOURCE_DIR}/bench/count_allocations.cpp)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
    target_link_libraries(${name} PRIVATE ${ARGN})
endfunction()

# lanyard_add_bench(NAME source...): a Google Benchmark executable; `make bench` runs all of them.
function(lanyard_add_bench name)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
    target_link_libraries(${name} PRIVATE lanyard::core lanyard_build_settings
                                          benchmark::benchmark benchmark::benchmark_main)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()

# lanyard_add_fuzz(NAME source...): a target with LLVMFuzzerTestOneInput. In the fuzz preset it is a
# libFuzzer program; elsewhere it replays tests/fuzz/corpus/NAME as a test, so that it does not rot
# and that a finding, once added to the corpus, stays fixed.
function(lanyard_add_fuzz name)
    add_executable(${name} ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${name} PRIVATE lanyard::core lanyard_build_settings)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    if(LANYARD_BUILD_FUZZ)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp)
        add_test(NAME ${name}_corpus
                 COMMAND ${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
        set_tests_properties(${name}_corpus PROPERTIES TIMEOUT 600)
    endif()
endfunction()

# lanyard_add_check(NAME script argument...): a script of tools/ that judges the source tree, and
# the self-test that shows that it can fail.
function(lanyard_add_check name script)
    add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tools/${script} ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    add_test(NAME ${name}_self_test COMMAND ${PROJECT_SOURCE_DIR}/tools/${script} --self-test
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} ${name}_self_test PROPERTIES TIMEOUT 120)
endfunction()

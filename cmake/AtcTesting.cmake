# Defines functions that add tests to ctest. Each test has exactly one label, because gtest_discover_tests cannot pass a
# list of labels. The labels are unit, capi, fault, torch, gpu, abi, install, python and soak. The label of a test with
# several threads ends in `-threads`, for example unit-threads. The tsan preset builds and runs only the tests with
# several threads.
#
# By default a GoogleTest program is one test of ctest, with the program's name. All cases of the program then run in
# one process, and they must not depend on their order. The functions take these arguments:
#   PROCESS_PER_CASE     Each case is a test of ctest with the case's name, and runs in its own process. This is for
#                        cases that change or check the state of the process: its switches, its store, the libraries and
#                        files that it has opened, its leaks.
#   SHARDS N             The cases are divided among N tests of ctest, which can run in parallel. This is for long programs.
#   TIMEOUT SECONDS      The timeout of each test. The default is 600 s if each case is a test, and 1200 s if the program
#                        is one test.
#   COST SECONDS         The expected time of a long test. In a new build tree ctest starts the longest tests first.
#   ENVIRONMENT NAME=VALUE...   Environment variables of the tests.
#   THREADS              The tests have several threads: the label ends in `-threads`.
find_package(GTest 1.12 REQUIRED)
include(GoogleTest)

add_custom_target(atc_thread_tests COMMENT "All tests with a label that ends in -threads")

function(_atc_value_or variable value default)
  if(value STREQUAL "")
    set(value ${default})
  endif()
  set(${variable} ${value} PARENT_SCOPE)
endfunction()

function(_atc_add_gtest label name)
  cmake_parse_arguments(ARG "THREADS;PROCESS_PER_CASE" "COST;SHARDS;TIMEOUT" "ENVIRONMENT" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # Tests are compiled with -O1, which takes three quarters of the time of -O3. The library itself is compiled with the
  # flags of the build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  # UndefinedBehaviorSanitizer checks only the library, not the code of the tests. If it checked the tests, too, a third
  # of the time for compiling the tests would be spent on these checks. The other sanitizers are on in the tests, too.
  if(ATC_SANITIZE MATCHES undefined)
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)  # support/
  target_link_libraries(${name} PRIVATE atc_options GTest::gmock GTest::gtest_main)
  if(ARG_THREADS)
    string(APPEND label -threads)
    add_dependencies(atc_thread_tests ${name})
  endif()
  if(ARG_PROCESS_PER_CASE)
    _atc_value_or(timeout "${ARG_TIMEOUT}" 600)
    # ctest runs the program to list its cases. If the program has to load LibTorch (half a gigabyte) from disk, this
    # may take longer than CMake's default limit of 5 s.
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                         PROPERTIES LABELS ${label} TIMEOUT ${timeout} ENVIRONMENT "${ARG_ENVIRONMENT}")
    return()
  endif()
  _atc_value_or(timeout "${ARG_TIMEOUT}" 1200)
  _atc_value_or(shards "${ARG_SHARDS}" 1)
  _atc_value_or(cost "${ARG_COST}" 0)
  foreach(shard RANGE 1 ${shards})
    set(test ${name})
    set(environment ${ARG_ENVIRONMENT})
    if(shards GREATER 1)
      math(EXPR index "${shard} - 1")
      string(APPEND test .${shard}of${shards})
      list(APPEND environment GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${index})
    endif()
    add_test(NAME ${test} COMMAND ${name})
    # GoogleTest counts a program without test cases as a success. The first of the two regular expressions makes such a
    # program fail. The second one makes a program count as skipped if no case has passed and the output ends with the
    # list of the skipped cases. If a case has failed, this list is not at the end, because a list of the failures
    # follows.
    set_tests_properties(${test} PROPERTIES
      LABELS ${label} TIMEOUT ${timeout} COST ${cost} ENVIRONMENT "${environment}"
      FAIL_REGULAR_EXPRESSION "Running 0 tests from"
      SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\] [^\n]*\n)+$")
  endforeach()
endfunction()

# atc_add_unit_test(NAME SOURCES... [ARGUMENTS]): adds a GoogleTest program that can use the internals of
# the library.
function(atc_add_unit_test name)
  _atc_add_gtest(unit ${name} ${ARGN})
  target_link_libraries(${name} PRIVATE atc_internal)
endfunction()

# atc_add_capi_test(NAME SOURCES... [ARGUMENTS]): adds a GoogleTest program that can only use the public headers and
# libatc.
function(atc_add_capi_test name)
  _atc_add_gtest(capi ${name} ${ARGN})
  target_link_libraries(${name} PRIVATE atc)
endfunction()

# How tests are declared. Labels: unit, capi, abi, install; `threads` for those the tsan preset runs.
find_package(GTest 1.12 REQUIRED)
include(GoogleTest)

# atc_add_unit_test(NAME SOURCES... ): a GoogleTest program that sees the inside of the library.
function(atc_add_unit_test name)
  cmake_parse_arguments(ARG "THREADS" "" "" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE atc_internal atc_options GTest::gmock GTest::gtest_main)
  set(labels unit)
  if(ARG_THREADS)
    list(APPEND labels threads)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()

# atc_add_capi_test(NAME SOURCES...): a GoogleTest program that sees the public headers and libatc alone.
function(atc_add_capi_test name)
  cmake_parse_arguments(ARG "THREADS" "" "" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE atc atc_options GTest::gmock GTest::gtest_main)
  set(labels capi)
  if(ARG_THREADS)
    list(APPEND labels threads)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()

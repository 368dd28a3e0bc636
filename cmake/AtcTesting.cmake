# How tests are declared. Labels: unit, capi, fault, torch, abi, install; threaded ones end in `-threads` (unit-threads), and
# the tsan preset builds and runs those alone. One label per test: gtest_discover_tests tears a list of them apart.
find_package(GTest 1.12 REQUIRED)
include(GoogleTest)

add_custom_target(atc_thread_tests COMMENT "All tests with a label that ends in -threads")

function(_atc_add_gtest label name)
  cmake_parse_arguments(ARG "THREADS" "ENVIRONMENT" "" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)  # support/
  target_link_libraries(${name} PRIVATE atc_options GTest::gmock GTest::gtest_main)
  if(ARG_THREADS)
    string(APPEND label -threads)
    add_dependencies(atc_thread_tests ${name})
  endif()
  if(ARG_ENVIRONMENT)
    set(environment ENVIRONMENT ${ARG_ENVIRONMENT})
  endif()
  # A program that loads LibTorch (half a gigabyte) from a cold disk does not list its tests in CMake's 5 s.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${label} TIMEOUT 600 ${environment})
endfunction()

# atc_add_unit_test(NAME SOURCES... [THREADS]): a GoogleTest program that sees the inside of the library.
function(atc_add_unit_test name)
  _atc_add_gtest(unit ${name} ${ARGN})
  target_link_libraries(${name} PRIVATE atc_internal)
endfunction()

# atc_add_capi_test(NAME SOURCES... [THREADS]): a GoogleTest program that sees the public headers and libatc alone.
function(atc_add_capi_test name)
  _atc_add_gtest(capi ${name} ${ARGN})
  target_link_libraries(${name} PRIVATE atc)
endfunction()

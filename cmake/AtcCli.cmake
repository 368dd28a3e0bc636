# The program `atc` (rust/atc-cli), its manual pages, its completions for shells, and the licences of its crates. Cargo
# builds the program (see BuildCli.cmake). In the build tree the program is in bin/, and the other files are in share/.
set(ATC_CLI_PROFILE release CACHE STRING "Cargo's profile for the program atc")
set(ATC_CLI_FEATURES "" CACHE STRING "Cargo's features for the program atc, separated by commas (remote: atc store push and pull)")
find_program(CARGO_EXECUTABLE cargo HINTS $ENV{CARGO_HOME}/bin $ENV{HOME}/.cargo/bin)

set(objection "")
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/rust/atc-cli/Cargo.toml)
  set(objection "rust/atc-cli is not among these sources")
elseif(ATC_SANITIZE)
  set(objection "cargo does not build it with -fsanitize=${ATC_SANITIZE}")
elseif(CMAKE_CROSSCOMPILING)
  set(objection "CMake does not tell cargo how to compile for ${CMAKE_SYSTEM_PROCESSOR}")
elseif(NOT CARGO_EXECUTABLE)
  set(objection "cargo was not found (https://rustup.rs has it)")
endif()
if(objection)
  if(NOT ATC_CLI STREQUAL AUTO)
    message(FATAL_ERROR "The program atc (ATC_CLI=${ATC_CLI}) cannot be built: ${objection}. Build without it: -DATC_CLI=OFF.")
  endif()
  message(STATUS "The program atc: not built, ${objection}")
  set(ATC_CLI OFF)
  return()
endif()
message(STATUS "The program atc: built by ${CARGO_EXECUTABLE}, profile ${ATC_CLI_PROFILE}")

# The folder of libatc, relative to the folder of the program ($ORIGIN). Because it is relative, the installed tree may
# be moved.
set(folder_of_libatc ${CMAKE_INSTALL_LIBDIR})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH folder_of_libatc /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set(folder_of_libatc "$ORIGIN/${folder_of_libatc}")
endif()

# The target runs cargo in each build, because only cargo can determine whether the program is up to date.
add_custom_target(atc_cli ALL
  COMMAND ${CMAKE_COMMAND} -DCARGO=${CARGO_EXECUTABLE} -DPROFILE=${ATC_CLI_PROFILE} -DFEATURES=${ATC_CLI_FEATURES} -DMODE=${ATC_CLI} -DSTRIP=${CMAKE_STRIP}
          -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${PROJECT_BINARY_DIR} -DLIB_DIR=$<TARGET_FILE_DIR:atc>
          -DRUNTIME_DIR=${folder_of_libatc} -P ${PROJECT_SOURCE_DIR}/cmake/BuildCli.cmake
  COMMENT "The program atc (cargo prints nothing while its last crate compiles)" USES_TERMINAL VERBATIM)
add_dependencies(atc_cli atc)

# All files of the program are installed only if they exist (OPTIONAL), because the program may not have been built:
# with ATC_CLI=AUTO a failure of cargo (no network, an old Rust) does not end the build.
install(CODE "if(NOT EXISTS \"${PROJECT_BINARY_DIR}/bin/atc\")
    message(NOTICE \"The program atc is not installed, because ${PROJECT_BINARY_DIR}/bin has no atc: build the target atc_cli\")
  endif()" COMPONENT cli)
install(PROGRAMS ${PROJECT_BINARY_DIR}/bin/atc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cli OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT cli OPTIONAL)
foreach(shell bash-completion zsh fish)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/${shell} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT cli OPTIONAL)
endforeach()

# Builds the program `atc` with cargo and writes it to OUT/bin/atc. The manual pages, the completions for shells and the
# licences of the crates are written to OUT/share:
#   cmake -DCARGO= -DPROFILE= -DFEATURES= -DMODE=ON|AUTO -DSTRIP= -DSOURCE= -DOUT= -DLIB_DIR= -DRUNTIME_DIR= -P BuildCli.cmake
# LIB_DIR is the folder of libatc during the build, and RUNTIME_DIR is the folder of libatc when the program runs. If
# cargo fails and MODE is AUTO, a message is printed, and the build continues without the program.
set(program ${OUT}/bin/atc)

set(ENV{ATC_LIB_DIR} ${LIB_DIR})
set(ENV{ATC_RUNTIME_DIR} ${RUNTIME_DIR})
execute_process(
  COMMAND ${CARGO} build --locked --package atc-cli --bin atc --profile ${PROFILE} --features=${FEATURES}
          --manifest-path ${SOURCE}/rust/Cargo.toml --message-format json-render-diagnostics
  RESULT_VARIABLE status OUTPUT_VARIABLE messages ERROR_VARIABLE errors ECHO_ERROR_VARIABLE)
if(NOT status EQUAL 0)
  # Removes the program of an earlier build. Otherwise that old program would be installed.
  file(REMOVE_RECURSE ${program} ${OUT}/share)
  string(REGEX MATCH "error[^\n]*" reason "${errors}")
  set(sentence "The program atc was not built: ${reason}")
  if(MODE STREQUAL AUTO)
    message(NOTICE "${sentence}\nThe library is complete. -DATC_CLI=OFF builds it without the program; -DATC_CLI=ON makes this an error.")
    return()
  endif()
  message(FATAL_ERROR "${sentence}")
endif()

# The path of the program is read from cargo's messages, because cargo's configuration determines
# the folder of its output.
if(NOT messages MATCHES "\"executable\":\"([^\"]+)\"")
  message(FATAL_ERROR "cargo does not say where it has put the program atc")
endif()
set(built ${CMAKE_MATCH_1})
if(NOT "${built}" IS_NEWER_THAN "${program}")
  return()
endif()

# step NAME COMMAND...: runs the command, and ends the build if it fails.
function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    # If the program does not exist, the next build repeats all steps.
    file(REMOVE ${program})
    message(FATAL_ERROR "The program atc: no ${name}: ${status} ${errors}")
  endif()
endfunction()

file(MAKE_DIRECTORY ${OUT}/bin)
file(COPY_FILE ${built} ${program})
if(STRIP)
  step("copy without symbols" ${STRIP} ${program})
endif()
file(REMOVE_RECURSE ${OUT}/share)
step("manual pages" ${program} man-pages ${OUT}/share/man/man1)
file(MAKE_DIRECTORY ${OUT}/share/doc)
set(ENV{CARGO} ${CARGO})
step("licences of its crates" python3 ${SOURCE}/scripts/crate-notices ${OUT}/share/doc/CRATE-NOTICES --features=${FEATURES})
foreach(pair bash:bash-completion/completions/atc zsh:zsh/site-functions/_atc fish:fish/vendor_completions.d/atc.fish)
  string(REGEX MATCH "^([a-z]+):(.*/)(.*)$" matched ${pair})
  set(shell ${CMAKE_MATCH_1})
  set(folder ${OUT}/share/${CMAKE_MATCH_2})
  set(file ${folder}${CMAKE_MATCH_3})
  file(MAKE_DIRECTORY ${folder})
  step("completions for ${shell}" ${program} completions ${shell} OUTPUT_FILE ${file})
endforeach()

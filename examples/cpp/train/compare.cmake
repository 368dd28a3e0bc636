# Tests the training example: runs it with several options and compares the losses.
#   A run without atc, and a run with --atc and without a store, have equal losses to the last digit, because LibTorch's
#   own convolutions run in both.
#   With tuned choices, the losses of the first steps are equal to those without atc, apart from rounding errors.
#   Two runs with --reproducible and the same store have equal losses to the last digit.
#   The option --store implies --atc.
# TRAIN is the path of the program. WORK is a folder for files. DEVICE is the device to train on (default: cpu).
function(run into)
  execute_process(COMMAND ${TRAIN} ${ARGN} OUTPUT_VARIABLE output RESULT_VARIABLE status ERROR_VARIABLE error)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "train ${ARGN} ended with ${status}: ${error}${output}")
  endif()
  message(STATUS "train ${ARGN}\n${output}")
  string(REGEX MATCHALL "step [0-9]+ loss [^\n]*" losses "${output}")
  set(${into} "${losses}" PARENT_SCOPE)
  set(${into}_output "${output}" PARENT_SCOPE)
endfunction()

function(expect_equal what a b)
  if(NOT a STREQUAL b OR a STREQUAL "")
    message(FATAL_ERROR "${what}:\n${a}\n${b}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK}/store)
set(steps --steps 12)
if(DEVICE)
  list(APPEND steps --device ${DEVICE})
endif()
if(DEVICE MATCHES "^cuda")
  # LibTorch's results are bitwise repeatable only with deterministic kernels. TF32 is turned off, because its rounding
  # errors are as large as the differences that the comparison of the first steps must find.
  set(ENV{CUBLAS_WORKSPACE_CONFIG} :4096:8)
  list(APPEND steps --reproducible --no-tf32)
endif()
run(plain ${steps})
run(installed --atc ${steps})
expect_equal("installed without records must equal plain" "${plain}" "${installed}")

run(tuned --tune --store ${WORK}/store --reproducible ${steps})
run(first --atc --store ${WORK}/store --reproducible ${steps})
run(second --store ${WORK}/store --reproducible ${steps})
expect_equal("two reproducible runs must be equal" "${first}" "${second}")
if(NOT second_output MATCHES "convolutions: ")
  message(FATAL_ERROR "--store alone does not imply --atc")
endif()

# Compares the losses of the first three steps only, because rounding errors grow from step to step. The losses are near
# 1.4, and may differ by at most 0.002.
foreach(step RANGE 0 2)
  list(GET plain ${step} a)
  list(GET first ${step} b)
  string(REGEX REPLACE ".*loss ([0-9]+\\.[0-9][0-9][0-9]).*" "\\1" a "${a}")
  string(REGEX REPLACE ".*loss ([0-9]+\\.[0-9][0-9][0-9]).*" "\\1" b "${b}")
  string(REPLACE "." "" a "${a}")
  string(REPLACE "." "" b "${b}")
  math(EXPR difference "${a} - ${b}")
  if(difference GREATER 2 OR difference LESS -2)
    message(FATAL_ERROR "step ${step}: ${a} and ${b} thousandths")
  endif()
endforeach()

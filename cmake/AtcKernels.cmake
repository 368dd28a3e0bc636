# Compiles device kernels. At build time nvcc compiles .cu files into fatbins. A fatbin is embedded in the library as an
# array of bytes, and the CUDA driver loads it at run time. CMake's CUDA language is not used, because its objects need
# CUDA's runtime library, and libatc is not linked with CUDA.

set(ATC_CUDA_ARCHITECTURES AUTO CACHE STRING
  "What device kernels are compiled for: AUTO, or a list like CMAKE_CUDA_ARCHITECTURES (80-real;90;120-virtual)")

# If ATC_CUDA_ARCHITECTURES is AUTO, the kernels run on every GPU from compute capability 7.5 on. Machine code for 8.0
# runs on all GPUs of capability 8.x, and machine code for 9.0, 10.0 and 12.0 runs on 9.x, 10.x and 12.x. If no machine
# code fits a GPU, the driver compiles PTX. GPUs of capability 11.0 use the PTX for 8.0. Future GPUs use the PTX for the
# newest capability. Machine code needs a driver for the toolkit's major version (CUDA 13: 580 or newer). PTX needs a
# driver that is not older than the toolkit.
function(_atc_cuda_architectures out)
  set(architectures ${ATC_CUDA_ARCHITECTURES})
  if(architectures STREQUAL AUTO)
    execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} --list-gpu-code OUTPUT_VARIABLE known)
    set(architectures "")
    foreach(architecture 75 80 90 100 120)
      if(known MATCHES "sm_${architecture}[\r\n]")
        list(APPEND architectures ${architecture}-real)
      endif()
    endforeach()
    list(TRANSFORM architectures REPLACE "^80-real$" 80)
    list(TRANSFORM architectures REPLACE "-real$" "" AT -1)
  endif()
  set(${out} "${architectures}" PARENT_SCOPE)
endfunction()

# _atc_nvcc_architecture_options(OUT ARCHITECTURE...): writes nvcc's options for the architectures to OUT. The
# architecture 90 means machine code and PTX, 90-real means only machine code, and 90-virtual means only PTX.
function(_atc_nvcc_architecture_options out)
  set(options "")
  foreach(architecture IN LISTS ARGN)
    if(NOT architecture MATCHES "^([0-9]+[af]?)(-real|-virtual)?$")
      message(FATAL_ERROR "ATC_CUDA_ARCHITECTURES=${ATC_CUDA_ARCHITECTURES}: \"${architecture}\" is none; "
                          "AUTO, or a list of such as 90, 90a, 90-real, 90-virtual.")
    endif()
    set(number ${CMAKE_MATCH_1})
    set(codes sm_${number} compute_${number})
    if(CMAKE_MATCH_2 STREQUAL "-real")
      set(codes sm_${number})
    elseif(CMAKE_MATCH_2 STREQUAL "-virtual")
      set(codes compute_${number})
    endif()
    list(JOIN codes "," codes)
    list(APPEND options "--generate-code=arch=compute_${number},code=[${codes}]")
  endforeach()
  if(NOT options)
    message(FATAL_ERROR "ATC_CUDA_ARCHITECTURES is empty: AUTO, or a list of such as 90, 90a, 90-real, 90-virtual.")
  endif()
  set(${out} "${options}" PARENT_SCOPE)
endfunction()

# atc_nvcc_objection(OUT): writes to OUT the reason why the found nvcc cannot compile kernels, or "" if nvcc can compile
# kernels. The usual reason is the host compiler: each release of nvcc supports host compilers only up to a certain
# version.
function(atc_nvcc_objection out)
  set(question ${CUDAToolkit_VERSION} ${CMAKE_CXX_COMPILER_VERSION} ${ATC_NVCC_COMMAND})
  if(NOT question STREQUAL ATC_NVCC_QUESTION)
    set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/atc_nvcc_probe)
    file(WRITE ${probe}.cu "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\nextern \"C\" __global__ void probe(__half*) {}\n")
    execute_process(COMMAND ${ATC_NVCC_COMMAND} -o ${probe}.fatbin ${probe}.cu
      RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    set(answer "")
    if(NOT status EQUAL 0)
      set(answer "${CUDAToolkit_NVCC_EXECUTABLE} does not work with ${CMAKE_CXX_COMPILER}: ${text}")
    endif()
    set(ATC_NVCC_ANSWER "${answer}" CACHE INTERNAL "Why nvcc cannot be used")
    set(ATC_NVCC_QUESTION "${question}" CACHE INTERNAL "What ATC_NVCC_ANSWER is about")
  endif()
  set(${out} "${ATC_NVCC_ANSWER}" PARENT_SCOPE)
endfunction()

# atc_embed_kernels(TARGET NAME FILE.cu... [ARCHITECTURES ARCHITECTURE...]): compiles the files and defines two
# variables in TARGET, in namespace atc::cuda:
#
#   extern const unsigned char NAME[];      // a fatbin, for cuModuleLoadData
#   extern const std::size_t NAME_size;
#
# All files of one call of this function are compiled as one translation unit. The build compiles the units of different
# calls in parallel. ARCHITECTURES replaces ATC_CUDA_ARCHITECTURES. Use ARCHITECTURES for kernels with instructions that
# only some architectures have (for example 90a-real).
function(atc_embed_kernels target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" ARCHITECTURES)
  set(command ${ATC_NVCC_COMMAND})
  if(arg_ARCHITECTURES)
    _atc_nvcc_command(command ${arg_ARCHITECTURES})
  endif()
  set(stem ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(unit "")
  set(inputs "")
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(APPEND unit "#include \"${file}\"\n")
    list(APPEND inputs ${file})
  endforeach()
  file(GENERATE OUTPUT ${stem}.cu CONTENT "${unit}")
  add_custom_command(OUTPUT ${stem}.fatbin
    COMMAND ${command} -I ${PROJECT_SOURCE_DIR}/src
            -MD -MT ${stem}.fatbin -MF ${stem}.d -o ${stem}.fatbin ${stem}.cu
    DEPENDS ${stem}.cu ${inputs} ${CUDAToolkit_NVCC_EXECUTABLE}
    DEPFILE ${stem}.d
    COMMENT "Compiling device kernels ${name}"
    VERBATIM)
  add_custom_command(OUTPUT ${stem}.cpp
    COMMAND python3 ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.py ${stem}.fatbin ${stem}.cpp atc::cuda ${name}
    DEPENDS ${stem}.fatbin ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.py
    VERBATIM)
  # CMake runs a custom command only for targets that are defined in the same folder as the command, and TARGET may be
  # defined in another folder. So a target is defined in this folder that runs the commands, and TARGET depends on it.
  add_custom_target(${target}_${name} DEPENDS ${stem}.cpp)
  add_dependencies(${target} ${target}_${name})
  target_sources(${target} PRIVATE ${stem}.cpp)
endfunction()

# _atc_nvcc_command(OUT ARCHITECTURE...): writes nvcc's command line for the architectures to OUT.
function(_atc_nvcc_command out)
  _atc_nvcc_architecture_options(options ${ARGN})
  # --expt-relaxed-constexpr is needed because kernels call constexpr functions of headers that the host code uses, too.
  set(command ${CUDAToolkit_NVCC_EXECUTABLE} -fatbin -std=c++17 -O3 --expt-relaxed-constexpr -Xfatbin -compress-all
      -ccbin ${CMAKE_CXX_COMPILER} ${options} -Wno-deprecated-gpu-targets)
  if(ATC_WERROR)
    list(APPEND command -Werror=all-warnings)
  endif()
  set(${out} "${command}" PARENT_SCOPE)
endfunction()

if(CUDAToolkit_FOUND)
  _atc_cuda_architectures(ATC_KERNEL_ARCHITECTURES)
  _atc_nvcc_command(ATC_NVCC_COMMAND ${ATC_KERNEL_ARCHITECTURES})
endif()

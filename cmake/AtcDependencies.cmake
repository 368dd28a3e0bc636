# Finds the dependencies. Installed libraries are searched first, then build/deps, where scripts/setup installs
# libraries.
set(deps_dir ${PROJECT_SOURCE_DIR}/build/deps)
if(DEFINED ENV{ATC_DEPS_DIR})
  set(deps_dir $ENV{ATC_DEPS_DIR})
endif()
set(ATC_DEPS_DIR ${deps_dir} CACHE PATH "Where scripts/setup puts what it brings")

# atc_need(FOUND NAME [ALTERNATIVE]): if FOUND is false, ends CMake's configuration with an error of one sentence.
function(atc_need found name)
  if(NOT found)
    message(FATAL_ERROR "${name} was not found: run scripts/setup build, which brings what atc is built with${ARGN}.")
  endif()
endfunction()

set(ATC_HEADERS "" CACHE PATH "A folder with nlohmann/, fmt/ and xxhash.h, instead of installed ones")
if(ATC_HEADERS)
  foreach(target nlohmann_json::nlohmann_json fmt::fmt-header-only)
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${ATC_HEADERS})
  endforeach()
  set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  set(XXHASH_INCLUDE_DIR ${ATC_HEADERS})
else()
  find_package(nlohmann_json 3.10 QUIET)
  atc_need("${nlohmann_json_FOUND}" "nlohmann_json 3.10")
  find_package(fmt 8 QUIET)
  atc_need("${fmt_FOUND}" "fmt 8")
  find_path(XXHASH_INCLUDE_DIR xxhash.h)
  atc_need("${XXHASH_INCLUDE_DIR}" "xxhash.h")
endif()
find_package(Threads REQUIRED)
find_package(ZLIB QUIET)
atc_need("${ZLIB_FOUND}" "zlib")

if(ATC_ONEDNN)
  find_package(dnnl 3 CONFIG QUIET)
  if(NOT dnnl_FOUND)
    find_package(dnnl 3 CONFIG QUIET PATHS ${ATC_DEPS_DIR}/onednn NO_DEFAULT_PATH)
  endif()
  if(dnnl_FOUND)
    message(STATUS "oneDNN ${dnnl_VERSION}: ${dnnl_DIR}")
  elseif(ATC_ONEDNN STREQUAL AUTO)
    message(STATUS "oneDNN: not found, its engine is not built")
  else()
    atc_need(FALSE "oneDNN 3" ", or configure with -DATC_ONEDNN=OFF")
  endif()
  set(ATC_ONEDNN "${dnnl_FOUND}")
endif()

# The C++ interface of LibTorch changes with each minor version. So the bridge (the library that connects LibTorch with
# libatc) is built once for each minor version: for the LibTorch that is found here (the tests run with it), and for the
# LibTorchs in ATC_LIBTORCH_ROOTS. If ATC_LIBTORCH_ROOTS is AUTO, these are the LibTorch headers that scripts/setup has
# installed.
#
# ATC_TORCH_VERSION is the version of the LibTorch that scripts/setup installs. If several versions are found, this one
# is used.
set(ATC_TORCH_VERSION 2.13.0)
# The minor versions of LibTorch with which the bridge was tested. bench/results/torch-versions.md has the results.
set(ATC_TORCH_KNOWN 2.9 2.11 2.12 2.13 2.14 2.15)
set(ATC_LIBTORCH_ROOTS AUTO CACHE STRING
  "More LibTorchs (folders that have their include/) to build the bridge for, or AUTO; their libraries are not needed")
set(ATC_TORCH_MINORS "")
set(ATC_TORCH_ROOTS "")

# _atc_add_torch_root(ROOT VERSION): adds a build of the bridge for the LibTorch in ROOT, unless this minor version
# already has a build.
macro(_atc_add_torch_root root version)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" _minor "${version}")
  if(_minor STREQUAL "")
    message(FATAL_ERROR "ATC_LIBTORCH_ROOTS: ${root} has no LibTorch headers.")
  elseif(NOT _minor IN_LIST ATC_TORCH_MINORS)
    list(APPEND ATC_TORCH_MINORS ${_minor})
    list(APPEND ATC_TORCH_ROOTS ${root})
  endif()
endmacro()

if(ATC_TORCH STREQUAL AUTO AND ATC_SANITIZE)
  message(STATUS "LibTorch bridge: not built, LibTorch is not instrumented for -fsanitize=${ATC_SANITIZE} "
                 "(-DATC_TORCH=ON builds it all the same)")
elseif(ATC_TORCH)
  # FindLibTorch also searches these places: the torch that `import torch` loads in python3, then build/deps.
  execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/setup.d/python_libtorch.py
    OUTPUT_VARIABLE LibTorch_MORE_ROOTS OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND LibTorch_MORE_ROOTS ${ATC_DEPS_DIR}/libtorch/torch)
  find_package(LibTorch ${ATC_TORCH_VERSION} EXACT QUIET MODULE)
  if(NOT LibTorch_FOUND)
    set(LibTorch_MINORS ${ATC_TORCH_KNOWN})
    find_package(LibTorch QUIET MODULE)
  endif()
  if(LibTorch_FOUND)
    message(STATUS "LibTorch ${LibTorch_VERSION}: ${LibTorch_ROOT_DIR}")
    _atc_add_torch_root(${LibTorch_ROOT_DIR} ${LibTorch_VERSION})
    set(more_roots ${ATC_LIBTORCH_ROOTS})
    if(ATC_LIBTORCH_ROOTS STREQUAL AUTO)
      file(GLOB more_roots ${ATC_DEPS_DIR}/libtorch_headers/torch)
    endif()
    foreach(root IN LISTS more_roots)
      get_filename_component(root ${root} ABSOLUTE)
      libtorch_version_in(${root} version)
      _atc_add_torch_root(${root} "${version}")
    endforeach()
    message(STATUS "LibTorch bridge: built for ${ATC_TORCH_MINORS}")
  elseif(ATC_TORCH STREQUAL AUTO AND NOT LIBTORCH_ROOT)
    message(STATUS "LibTorch bridge: not built. ${LibTorch_NOT_FOUND_MESSAGE} (scripts/setup brings it)")
  else()
    message(FATAL_ERROR "The LibTorch bridge (ATC_TORCH=${ATC_TORCH}) cannot be built. ${LibTorch_NOT_FOUND_MESSAGE}\n"
      "Run scripts/setup, which brings LibTorch ${ATC_TORCH_VERSION}; or name one with -DLIBTORCH_ROOT=<folder with include/ and lib/>; "
      "or build without the bridge: -DATC_TORCH=OFF -ULIBTORCH_ROOT.")
  endif()
endif()

# libatc is not linked with CUDA: it opens CUDA's libraries at run time. The CUDA toolkit is needed to compile device
# kernels. cuDNN's headers are needed only to check atc's own declarations of cuDNN's functions.
set(ATC_WITH_KERNELS FALSE)
if(ATC_CUDA)
  if(ATC_KERNELS)
    set(ATC_CUDA_MORE_ROOTS ${ATC_DEPS_DIR}/cuda)
    include(AtcCudaToolkit)
    include(AtcKernels)
    if(NOT ATC_CUDA_TOOLKIT_FOUND)
      set(objection "No CUDA toolkit ${ATC_CUDA_MINIMUM} or newer was found.${ATC_CUDA_TOOLKIT_SEEN}")
    else()
      atc_nvcc_objection(objection)
    endif()
    if(objection STREQUAL "")
      set(ATC_WITH_KERNELS TRUE)
      message(STATUS "CUDA toolkit ${ATC_CUDA_TOOLKIT_FOUND}; kernels for ${ATC_KERNEL_ARCHITECTURES}")
    elseif(ATC_KERNELS STREQUAL AUTO AND NOT CUDAToolkit_ROOT)
      message(STATUS "Device kernels: not built. ${objection} (scripts/setup brings a toolkit)")
    else()
      message(FATAL_ERROR "The device kernels (ATC_KERNELS=${ATC_KERNELS}) cannot be built. ${objection}\n"
        "Run scripts/setup, which brings a CUDA toolkit; or name one with -DCUDAToolkit_ROOT=<folder with bin/nvcc>; "
        "or build without them: -DATC_KERNELS=OFF -UCUDAToolkit_ROOT.")
    endif()
  endif()
  find_package(CUDNN 9.0 QUIET)
  if(CUDNN_FOUND)
    message(STATUS "cuDNN's headers ${CUDNN_VERSION}: ${CUDNN_INCLUDE_DIR}")
  else()
    message(STATUS "cuDNN's headers: none of version 9 found, atc's own declarations are not compared with them "
                   "(-DCUDNN_ROOT= names some)")
  endif()
elseif(ATC_KERNELS AND NOT ATC_KERNELS STREQUAL AUTO)
  message(FATAL_ERROR "ATC_KERNELS=${ATC_KERNELS} needs the CUDA parts: add -DATC_CUDA=ON, or drop ATC_KERNELS.")
endif()

# The version of the CUDA toolkit, in CUDA's numbering (13000 is version 13.0). The value is 0 if there is no toolkit.
set(ATC_CUDA_TOOLKIT_VERSION 0)
if(ATC_WITH_KERNELS)
  math(EXPR ATC_CUDA_TOOLKIT_VERSION "${CUDAToolkit_VERSION_MAJOR} * 1000 + ${CUDAToolkit_VERSION_MINOR} * 10")
endif()

# The version of cuDNN's headers, in cuDNN's numbering (90100 is version 9.1.0). The value is 0 if there are no headers.
set(ATC_CUDNN_VERSION 0)
if(CUDNN_FOUND AND CUDNN_VERSION MATCHES "^([0-9]+)\\.([0-9]+)\\.([0-9]+)")
  math(EXPR ATC_CUDNN_VERSION "${CMAKE_MATCH_1} * 10000 + ${CMAKE_MATCH_2} * 100 + ${CMAKE_MATCH_3}")
endif()

# Installed libraries where there are any; what the set-up step brought (scripts/setup) otherwise.
set(deps_dir ${PROJECT_SOURCE_DIR}/build/deps)
if(DEFINED ENV{ATC_DEPS_DIR})
  set(deps_dir $ENV{ATC_DEPS_DIR})
endif()
set(ATC_DEPS_DIR ${deps_dir} CACHE PATH "Where scripts/setup puts what it brings")

find_package(nlohmann_json 3.10 REQUIRED)
find_package(fmt 8 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

if(ATC_ONEDNN)
  find_package(dnnl 3 CONFIG QUIET)
  if(NOT dnnl_FOUND)
    find_package(dnnl 3 CONFIG REQUIRED PATHS ${ATC_DEPS_DIR}/onednn NO_DEFAULT_PATH)
  endif()
  message(STATUS "oneDNN ${dnnl_VERSION}: ${dnnl_DIR}")
endif()

# The bridge is made for one LibTorch: its C++ interface is another one in every minor version.
set(ATC_TORCH_VERSION 2.11.0)
if(ATC_TORCH STREQUAL AUTO AND ATC_SANITIZE)
  message(STATUS "LibTorch bridge: not built, LibTorch is not instrumented for -fsanitize=${ATC_SANITIZE} "
                 "(-DATC_TORCH=ON builds it all the same)")
elseif(ATC_TORCH)
  # Beside the places that FindLibTorch knows: the one in Python, then what scripts/setup brought.
  execute_process(COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/setup.d/python_libtorch.py
    OUTPUT_VARIABLE LibTorch_MORE_ROOTS OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND LibTorch_MORE_ROOTS ${ATC_DEPS_DIR}/libtorch/torch)
  find_package(LibTorch ${ATC_TORCH_VERSION} EXACT QUIET MODULE)
  if(LibTorch_FOUND)
    message(STATUS "LibTorch ${LibTorch_VERSION}: ${LibTorch_ROOT_DIR}")
  elseif(ATC_TORCH STREQUAL AUTO AND NOT LIBTORCH_ROOT)
    message(STATUS "LibTorch bridge: not built. ${LibTorch_NOT_FOUND_MESSAGE} (scripts/setup brings it)")
  else()
    message(FATAL_ERROR "The LibTorch bridge (ATC_TORCH=${ATC_TORCH}) cannot be built. ${LibTorch_NOT_FOUND_MESSAGE}\n"
      "Run scripts/setup, which brings LibTorch ${ATC_TORCH_VERSION}; or name one with -DLIBTORCH_ROOT=<folder with include/ and lib/>; "
      "or build without the bridge: -DATC_TORCH=OFF -ULIBTORCH_ROOT.")
  endif()
endif()

# Nothing of CUDA is linked: the toolkit compiles device kernels, cuDNN's headers serve checks of our declarations.
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

# The toolkit of the device kernels as CUDA numbers itself (13000 is 13.0), 0 without.
set(ATC_CUDA_TOOLKIT_VERSION 0)
if(ATC_WITH_KERNELS)
  math(EXPR ATC_CUDA_TOOLKIT_VERSION "${CUDAToolkit_VERSION_MAJOR} * 1000 + ${CUDAToolkit_VERSION_MINOR} * 10")
endif()

# cuDNN's headers as cuDNN numbers itself (90100 is 9.1.0), 0 without.
set(ATC_CUDNN_VERSION 0)
if(CUDNN_FOUND AND CUDNN_VERSION MATCHES "^([0-9]+)\\.([0-9]+)\\.([0-9]+)")
  math(EXPR ATC_CUDNN_VERSION "${CMAKE_MATCH_1} * 10000 + ${CMAKE_MATCH_2} * 100 + ${CMAKE_MATCH_3}")
endif()

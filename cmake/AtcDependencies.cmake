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

# Finds the CUDA toolkit whose nvcc compiles the device kernels.
#
# If CUDAToolkit_ROOT is set, only this folder is searched. Otherwise the first toolkit that is new enough is taken from
# these places: the toolkit that was found last time, the toolkit of the nvcc on the PATH, $CUDAToolkit_ROOT, $CUDA_PATH,
# $CUDA_HOME, /usr/local/cuda, ATC_CUDA_MORE_ROOTS. CMake's FindCUDAToolkit alone would not suffice: it takes the first
# toolkit, even if that toolkit is too old.
#
# The results are the targets and variables of FindCUDAToolkit, and two further variables. If a toolkit was found,
# ATC_CUDA_TOOLKIT_FOUND is "<version>: <folder>". Otherwise ATC_CUDA_TOOLKIT_FOUND is empty, and ATC_CUDA_TOOLKIT_SEEN
# lists the searched folders, each with the reason why it was not taken.
set(ATC_CUDA_MINIMUM 12.4)

if(CUDAToolkit_ROOT)
  set(_cuda_roots ${CUDAToolkit_ROOT})
else()
  find_program(_cuda_nvcc nvcc NO_CACHE)
  set(_cuda_roots ${ATC_CUDA_LAST_ROOT})
  if(_cuda_nvcc)
    cmake_path(GET _cuda_nvcc PARENT_PATH _cuda_root)
    cmake_path(GET _cuda_root PARENT_PATH _cuda_root)
    list(APPEND _cuda_roots ${_cuda_root})
  endif()
  list(APPEND _cuda_roots $ENV{CUDAToolkit_ROOT} $ENV{CUDA_PATH} $ENV{CUDA_HOME} /usr/local/cuda ${ATC_CUDA_MORE_ROOTS})
  list(REMOVE_DUPLICATES _cuda_roots)
endif()

set(ATC_CUDA_TOOLKIT_FOUND "")
set(ATC_CUDA_TOOLKIT_SEEN "")
set(CUDAToolkit_FOUND FALSE)
# CMake 3.25 requires nvToolsExt in FindCUDAToolkit, if the project requires CMake 3.25. CUDA 13 no longer has
# nvToolsExt. So a lower required version is set during the search.
set(_cuda_cmake_required ${CMAKE_MINIMUM_REQUIRED_VERSION})
set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
foreach(CUDAToolkit_ROOT IN LISTS _cuda_roots)
  if(NOT EXISTS ${CUDAToolkit_ROOT}/bin/nvcc)
    string(APPEND ATC_CUDA_TOOLKIT_SEEN " ${CUDAToolkit_ROOT}: no bin/nvcc.")
    continue()
  endif()
  # FindCUDAToolkit stores its results in these variables. The variables are cleared before each toolkit is tried,
  # because otherwise the results of the previous toolkit would be used.
  foreach(_entry ROOT_DIR TARGET_DIR LIBRARY_ROOT INCLUDE_DIR VERSION)
    unset(CUDAToolkit_${_entry})
  endforeach()
  if(NOT CUDAToolkit_ROOT STREQUAL ATC_CUDA_LAST_ROOT)
    foreach(_entry CUDAToolkit_NVCC_EXECUTABLE CUDAToolkit_BIN_DIR CUDAToolkit_SENTINEL_FILE CUDA_CUDART)
      unset(${_entry} CACHE)
    endforeach()
    set(ATC_CUDA_LAST_ROOT ${CUDAToolkit_ROOT} CACHE INTERNAL "The CUDA toolkit that was looked at last")
  endif()
  find_package(CUDAToolkit ${ATC_CUDA_MINIMUM} QUIET)
  if(CUDAToolkit_FOUND)
    set(ATC_CUDA_TOOLKIT_FOUND "${CUDAToolkit_VERSION}: ${CUDAToolkit_ROOT}")
    break()
  elseif(CUDAToolkit_VERSION AND CUDAToolkit_VERSION VERSION_LESS ATC_CUDA_MINIMUM)
    string(APPEND ATC_CUDA_TOOLKIT_SEEN " ${CUDAToolkit_ROOT}: CUDA ${CUDAToolkit_VERSION}.")
  else()
    string(APPEND ATC_CUDA_TOOLKIT_SEEN " ${CUDAToolkit_ROOT}: no cuda_runtime.h or no libcudart.so.")
  endif()
endforeach()
set(CMAKE_MINIMUM_REQUIRED_VERSION ${_cuda_cmake_required})

# Finds cuDNN's headers. This module does not search for cuDNN's library, because atc loads the library at run time.
#
#     find_package(CUDNN [9.0])
#
# These places are searched in this order: CUDNN_ROOT, the include folder of CUDAToolkit, the system,
# nvidia/cudnn/include of Python's packages. The results are the target CUDNN::headers and the variables
# CUDNN_INCLUDE_DIR and CUDNN_VERSION. CUDNN::headers has only the include folder of cuDNN. cuDNN's headers include
# CUDA's headers, so a user of the target must add the include folder of CUDA.
if(CUDNN_INCLUDE_DIR AND NOT EXISTS ${CUDNN_INCLUDE_DIR}/cudnn_graph.h)
  unset(CUDNN_INCLUDE_DIR CACHE)
endif()
if(NOT CUDNN_INCLUDE_DIR)
  execute_process(
    COMMAND python3 -c "import importlib.util as i; print(*i.find_spec('nvidia.cudnn').submodule_search_locations, sep=';')"
    OUTPUT_VARIABLE _cudnn_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(CUDNN_INCLUDE_DIR cudnn_graph.h HINTS ${CUDAToolkit_INCLUDE_DIRS} PATHS ${_cudnn_python}
    PATH_SUFFIXES include DOC "The folder with cudnn.h, cudnn_version.h and cudnn_graph.h")
  mark_as_advanced(CUDNN_INCLUDE_DIR)
endif()

set(CUDNN_VERSION "")
if(EXISTS ${CUDNN_INCLUDE_DIR}/cudnn.h AND EXISTS ${CUDNN_INCLUDE_DIR}/cudnn_version.h)
  file(STRINGS ${CUDNN_INCLUDE_DIR}/cudnn_version.h _cudnn_lines REGEX "^#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) +[0-9]+")
  list(TRANSFORM _cudnn_lines REPLACE ".* ([0-9]+).*" "\\1")
  list(JOIN _cudnn_lines "." CUDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDNN REQUIRED_VARS CUDNN_INCLUDE_DIR CUDNN_VERSION VERSION_VAR CUDNN_VERSION)

if(CUDNN_FOUND AND NOT TARGET CUDNN::headers)
  add_library(CUDNN::headers INTERFACE IMPORTED)
  set_target_properties(CUDNN::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR})
endif()

# Finds cuDNN's headers. The library is loaded at run time and is not looked for.
#
#     find_package(CUDNN [9.0])
#
# The places are: CUDNN_ROOT, CUDAToolkit's include folder, the system, Python's nvidia/cudnn/include. The
# result is CUDNN::headers (an include folder; the headers need those of CUDA), CUDNN_INCLUDE_DIR and
# CUDNN_VERSION.
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

# Finds LibTorch's CPU part: headers, libtorch_cpu.so and libc10.so. LibTorch's own TorchConfig.cmake is not used: it needs a
# CUDA toolkit if LibTorch was built with CUDA, and is not in every distribution.
#
#   find_package(LibTorch 2.11.0 EXACT MODULE)    finds exactly this version
#   find_package(LibTorch MODULE)                 finds a version whose minor version is in the list LibTorch_MINORS. If this
#                                                 variable is not set, every version fits
#
# If the cache variable LIBTORCH_ROOT is set (the folder with include/ and lib/), only this folder is searched. Otherwise
# these places are searched in this order: the folder found last time; CMAKE_PREFIX_PATH; $LIBTORCH, which torch-sys
# reads; LibTorch_MORE_ROOTS.
#
# The results are LibTorch::LibTorch, LibTorch_VERSION, LibTorch_ROOT_DIR and LibTorch_LIBRARY_DIR. If no LibTorch fits,
# LibTorch_NOT_FOUND_MESSAGE lists the searched folders, each with the reason why it was not taken.
set(LIBTORCH_ROOT "" CACHE PATH "LibTorch: the folder that has its include/ and lib/")

# libtorch_version_in(ROOT OUT): writes to OUT the version of the LibTorch headers in ROOT/include, or "" if there are
# none.
function(libtorch_version_in root out)
  set(version "")
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(version STREQUAL "" AND EXISTS ${root}/include/${header})
      file(STRINGS ${root}/include/${header} lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      list(TRANSFORM lines REPLACE ".* ([0-9]+).*" "\\1")
      list(JOIN lines "." version)
    endif()
  endforeach()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# libtorch_cxx_standard(VERSION OUT): writes to OUT the oldest C++ standard with which the headers of this version of
# LibTorch can be compiled.
function(libtorch_cxx_standard version out)
  set(${out} 17 PARENT_SCOPE)
  if(version VERSION_GREATER_EQUAL 2.14)
    set(${out} 20 PARENT_SCOPE)
  endif()
endfunction()

# _libtorch_objection(ROOT VERSION OUT): writes to OUT the reason why the LibTorch in ROOT cannot be used, or "" if this
# LibTorch can be used.
function(_libtorch_objection root version out)
  set(objection "")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")
  if(version STREQUAL "")
    set(objection "no LibTorch headers")
  elseif(NOT EXISTS ${root}/lib/libtorch_cpu.so OR NOT EXISTS ${root}/lib/libc10.so)
    set(objection "no lib/libtorch_cpu.so with lib/libc10.so")
  elseif(LibTorch_FIND_VERSION_EXACT AND NOT version VERSION_EQUAL LibTorch_FIND_VERSION)
    set(objection "LibTorch ${version}")
  elseif(LibTorch_FIND_VERSION AND version VERSION_LESS LibTorch_FIND_VERSION)
    set(objection "LibTorch ${version}")
  elseif(NOT LibTorch_FIND_VERSION AND LibTorch_MINORS AND NOT minor IN_LIST LibTorch_MINORS)
    set(objection "LibTorch ${version}")
  else()
    # LibTorch must be compiled with the new C++ ABI of libstdc++. The function torchCheckFail has a std::string
    # parameter, so its mangled name contains "cxx11" if the new ABI was used.
    file(STRINGS ${root}/lib/libc10.so checks REGEX "^_ZN3c106detail14torchCheckFail.*cxx11" LIMIT_COUNT 1)
    if(checks STREQUAL "")
      set(objection "a build with the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0)")
    endif()
  endif()
  set(${out} "${objection}" PARENT_SCOPE)
endfunction()

if(LIBTORCH_ROOT)
  set(_libtorch_roots ${LIBTORCH_ROOT})
else()
  set(_libtorch_roots ${LibTorch_LAST_ROOT} ${CMAKE_PREFIX_PATH} $ENV{LIBTORCH} ${LibTorch_MORE_ROOTS})
  list(REMOVE_DUPLICATES _libtorch_roots)
endif()
set(LibTorch_VERSION "")
set(LibTorch_ROOT_DIR "")
set(_libtorch_seen "")
foreach(_root IN LISTS _libtorch_roots)
  libtorch_version_in(${_root} _version)
  _libtorch_objection(${_root} "${_version}" _objection)
  if(_objection STREQUAL "")
    get_filename_component(LibTorch_ROOT_DIR ${_root} ABSOLUTE)
    set(LibTorch_VERSION ${_version})
    set(LibTorch_LIBRARY_DIR ${LibTorch_ROOT_DIR}/lib)
    set(LibTorch_LAST_ROOT ${LibTorch_ROOT_DIR} CACHE INTERNAL "The LibTorch that was found last time")
    break()
  endif()
  string(APPEND _libtorch_seen " ${_root}: ${_objection}.")
endforeach()

include(FindPackageHandleStandardArgs)
set(_libtorch_wanted "${LibTorch_FIND_VERSION}")
if(NOT _libtorch_wanted)
  list(JOIN LibTorch_MINORS ", " _libtorch_wanted)
endif()
string(STRIP "LibTorch ${_libtorch_wanted}" _libtorch_wanted)
set(LibTorch_NOT_FOUND_MESSAGE "${_libtorch_wanted} was not found.${_libtorch_seen}")
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_ROOT_DIR VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "${LibTorch_NOT_FOUND_MESSAGE}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  foreach(_name torch_cpu c10)
    add_library(LibTorch::${_name} SHARED IMPORTED)
    set_target_properties(LibTorch::${_name} PROPERTIES IMPORTED_LOCATION ${LibTorch_LIBRARY_DIR}/lib${_name}.so)
  endforeach()
  # The target is IMPORTED. CMake treats the include folders of imported targets as system folders, so the compiler
  # reports no warnings for LibTorch's headers.
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES
      "${LibTorch_ROOT_DIR}/include;${LibTorch_ROOT_DIR}/include/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "LibTorch::torch_cpu;LibTorch::c10")
  libtorch_cxx_standard(${LibTorch_VERSION} _libtorch_standard)
  set_property(TARGET LibTorch::LibTorch PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_${_libtorch_standard})
endif()

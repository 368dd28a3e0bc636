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

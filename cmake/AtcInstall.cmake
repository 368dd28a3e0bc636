# The files that `cmake --install` and `cpack` install: headers, libatc, a CMake package and a pkg-config file. If
# oneDNN was installed by scripts/setup, oneDNN is installed beside libatc, too.
include(CMakePackageConfigHelpers)

set(ATC_CMAKE_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/atc)

install(TARGETS atc EXPORT atcTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/atc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN torch.h EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/LICENSE-APACHE
              ${PROJECT_SOURCE_DIR}/LICENSE-MIT ${PROJECT_SOURCE_DIR}/THIRD-PARTY-NOTICES ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# ---- CMake package: find_package(atc), atc::atc -------------------------------------------------------
install(EXPORT atcTargets NAMESPACE atc:: DESTINATION ${ATC_CMAKE_INSTALL_DIR} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/atcConfig.cmake.in
  ${PROJECT_BINARY_DIR}/atcConfig.cmake INSTALL_DESTINATION ${ATC_CMAKE_INSTALL_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/atcConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/atcConfig.cmake ${PROJECT_BINARY_DIR}/atcConfigVersion.cmake
  DESTINATION ${ATC_CMAKE_INSTALL_DIR} COMPONENT dev)

# ---- pkg-config: the file computes the prefix from its own location, so the installed tree may be moved ----
set(ATC_PC_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ATC_PC_PREFIX /prefix/${ATC_PC_INSTALL_DIR} /prefix)
string(REGEX REPLACE "/$" "" ATC_PC_PREFIX "${ATC_PC_PREFIX}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/atc.pc.in ${PROJECT_BINARY_DIR}/atc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/atc.pc DESTINATION ${ATC_PC_INSTALL_DIR} COMPONENT dev)

# ---- The LibTorch bridge: find_package(atc COMPONENTS torch), atc::torch. LibTorch itself is not installed --------
if(TARGET atc_torch)
  install(TARGETS atc_torch EXPORT atcTorchTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT torch)
  # When a program runs, libatc_torch opens the build of the bridge for the LibTorch that the program uses. libatc_torch
  # searches for this build in its own folder, so all builds are installed into this folder.
  list(TRANSFORM ATC_TORCH_MINORS PREPEND atc_torch_build_ OUTPUT_VARIABLE torch_builds)
  foreach(minor IN LISTS ATC_TORCH_MINORS)
    if(TARGET atc_torch_group_${minor})
      list(APPEND torch_builds atc_torch_group_${minor})
    endif()
  endforeach()
  install(TARGETS ${torch_builds} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT torch)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/atc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT torch FILES_MATCHING PATTERN torch.h)
  install(EXPORT atcTorchTargets NAMESPACE atc:: DESTINATION ${ATC_CMAKE_INSTALL_DIR} COMPONENT torch)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindLibTorch.cmake
    DESTINATION ${ATC_CMAKE_INSTALL_DIR} COMPONENT torch)
  list(JOIN ATC_TORCH_MINORS ", " torch_versions)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/atc-torch.pc.in ${PROJECT_BINARY_DIR}/atc-torch.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/atc-torch.pc DESTINATION ${ATC_PC_INSTALL_DIR} COMPONENT torch)
endif()

# ---- oneDNN -------------------------------------------------------------------------------------------
if(ATC_ONEDNN)
  get_target_property(dnnl_file DNNL::dnnl LOCATION)
  get_filename_component(dnnl_file ${dnnl_file} REALPATH)
  get_filename_component(deps_dir ${ATC_DEPS_DIR} REALPATH)
  cmake_path(IS_PREFIX deps_dir ${dnnl_file} dnnl_is_bundled)
  if(dnnl_is_bundled)
    # oneDNN is installed only under its SONAME (libdnnl.so.3), without libdnnl.so: libatc loads the SONAME, and
    # programs should not be linked with this copy of oneDNN.
    install(FILES ${dnnl_file} RENAME libdnnl.so.3 DESTINATION ${CMAKE_INSTALL_LIBDIR}
      PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
      COMPONENT runtime)
    install(DIRECTORY ${ATC_DEPS_DIR}/onednn/share/doc/onednn
      DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
  endif()
endif()

# ---- Archive ------------------------------------------------------------------------------------------
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_PACKAGE_NAME atc)
  set(CPACK_PACKAGE_VENDOR atc)
  set(CPACK_PACKAGE_FILE_NAME atc-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_VERBATIM_VARIABLES ON)
  include(CPack)
endif()

# ---- API documentation of the C headers ----------------------------------------------------------------
find_program(DOXYGEN_EXECUTABLE doxygen)
if(DOXYGEN_EXECUTABLE)
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E make_directory build/docs
    COMMAND ${DOXYGEN_EXECUTABLE} docs/Doxyfile
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Doxygen: build/docs/c/html/index.html"
    VERBATIM)
endif()

# Compiler and linker options of the installed libraries, in addition to the options of all targets. The options make
# memory errors harder to exploit. In addition, -ffile-prefix-map removes the names of build folders from the files.
# With a sanitizer only -ffile-prefix-map is used, because a sanitizer replaces some of the other options.
# _FORTIFY_SOURCE needs optimisation, so it is not set in Debug builds. tests/install/hardened.sh checks the result.
include(CheckCXXCompilerFlag)

add_library(atc_shipped_options INTERFACE)
target_compile_options(atc_shipped_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(NOT ATC_SANITIZE)
  set(fortified "$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>")
  target_compile_options(atc_shipped_options INTERFACE
    -fstack-protector-strong $<${fortified}:-U_FORTIFY_SOURCE> $<${fortified}:-D_FORTIFY_SOURCE=2>)
  foreach(flag -fstack-clash-protection -fcf-protection=full)  # compilers know these flags only for some processors
    string(MAKE_C_IDENTIFIER ${flag} known)
    check_cxx_compiler_flag(${flag} ATC_HAS${known})
    if(ATC_HAS${known})
      target_compile_options(atc_shipped_options INTERFACE ${flag})
    endif()
  endforeach()
  target_link_options(atc_shipped_options INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# Options of the installed libraries, in addition to those of all targets. They make faults in memory harder to exploit,
# and keep the folders of the build out of the files. They are not used with a sanitizer, which replaces some of them.
# Fortified functions are used only if the compiler optimises, because they need that. tests/install/hardened.sh checks
# the result.
include(CheckCXXCompilerFlag)

add_library(atc_shipped_options INTERFACE)
target_compile_options(atc_shipped_options INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(NOT ATC_SANITIZE)
  set(fortified "$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>")
  target_compile_options(atc_shipped_options INTERFACE
    -fstack-protector-strong $<${fortified}:-U_FORTIFY_SOURCE> $<${fortified}:-D_FORTIFY_SOURCE=2>)
  foreach(flag -fstack-clash-protection -fcf-protection=full)  # not for every processor
    string(MAKE_C_IDENTIFIER ${flag} known)
    check_cxx_compiler_flag(${flag} ATC_HAS${known})
    if(ATC_HAS${known})
      target_compile_options(atc_shipped_options INTERFACE ${flag})
    endif()
  endforeach()
  target_link_options(atc_shipped_options INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

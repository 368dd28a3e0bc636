# Options of the libraries that are installed, beside those of all targets: what makes a fault in memory harder to use,
# and nothing of the build's folders in the files. Not beside a sanitizer, which replaces part of it, and fortified
# functions only where the compiler optimises, as they need it. tests/install/hardened.sh looks at the result.
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

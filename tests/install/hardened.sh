#!/bin/sh
# Checks that atc's libraries have the protections of cmake/AtcHardening.cmake, and that they search for other libraries
# only in their own folder: hardened.sh FOLDER CONFIGURATION
set -eu
bad=0
# claim LIBRARY WHAT: prints the fault WHAT of LIBRARY. The test then continues, and fails when it ends.
claim() { echo "$1: $2"; bad=1; }

libraries=$(find "$1" -name 'libatc*.so*' -type f)
[ -n "$libraries" ] || { echo "no libatc in $1"; exit 1; }
# IFS is set to a line end, because the paths in $libraries may contain spaces.
IFS='
'
for library in $libraries; do
  name=$(basename "$library")
  segments=$(readelf -lW "$library")
  dynamic=$(readelf -dW "$library")
  echo "$segments" | grep -q GNU_RELRO || claim "$name" "no segment is made read-only after relocation (-z relro)"
  echo "$segments" | grep -q 'GNU_STACK.* RW ' || claim "$name" "its stack may be executed (-z noexecstack)"
  echo "$dynamic" | grep -Eq 'FLAGS.*(BIND_NOW|NOW)' || claim "$name" "functions are bound when they are first called (-z now)"
  if echo "$dynamic" | grep -q TEXTREL; then claim "$name" "its code is written to by relocations"; fi
  paths=$(echo "$dynamic" | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]$/\2/p')
  # shellcheck disable=SC2016
  [ -z "$paths" ] || [ "$paths" = '$ORIGIN' ] || claim "$name" "libraries are looked for in '$paths'"
  readelf --dyn-syms -W "$library" | grep -q ' __stack_chk_fail' || claim "$name" "no function guards its stack (-fstack-protector-strong)"
  case $(uname -m) in x86_64)
    open=$(objdump -d --no-show-raw-insn "$library" | awk '/^[0-9a-f]+ <atc1_[a-z0-9_]*>:$/ { f = $2; getline; if ($0 !~ /endbr64/) print f }')
    [ -z "$open" ] || claim "$name" "functions without endbr64 (-fcf-protection): $(echo "$open" | head -3 | tr '\n' ' ')" ;;
  esac
  case $name:$2 in libatc.so*:Debug) ;; libatc.so*)
    readelf --dyn-syms -W "$library" | grep -Eq ' __[a-z0-9_]+_chk@' || claim "$name" "no fortified function (_FORTIFY_SOURCE)" ;;
  esac
done
exit $bad

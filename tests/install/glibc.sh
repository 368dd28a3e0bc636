#!/bin/sh
# Checks that an installed tree needs no newer glibc or libstdc++ than README states for archives that were built
# on Debian 12: glibc.sh PREFIX README
set -eu
here=$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)
if [ "$(printf '%s\n2.36\n' "$here" | sort -V | tail -1)" != 2.36 ]; then
  echo "skipped: README speaks of Debian 12 (glibc 2.36), this system has glibc $here"
  exit 77
fi
find "$1" '(' -name '*.so*' -o -path '*/bin/atc' ')' -type f -exec objdump -T {} + >"$1/../symbols.txt"

bad=0
for name in GLIBC GLIBCXX; do
  needed=$(grep -o "\b${name}_[0-9.]*" "$1/../symbols.txt" | sort -V | tail -1 | cut -d_ -f2)
  said=$(grep -o "\b${name}_[0-9.]*[0-9]" "$2" | cut -d_ -f2)
  echo "$name $needed is needed, README says ${said:-nothing}"
  [ -n "$said" ] && [ "$(printf '%s\n' "$needed" "$said" | sort -V | tail -1)" = "$said" ] || bad=1
done
exit $bad

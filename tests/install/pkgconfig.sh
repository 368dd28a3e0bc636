#!/bin/sh
# Builds the C examples with the flags of pkg-config and a plain compiler, and runs them:
# pkgconfig.sh PREFIX CC SOURCES OUT
set -eu
prefix=$1 cc=$2 sources=$3 out=$4
here=$(dirname "$0")
rm -rf "$out"
mkdir -p "$out"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name atc.pc)")
export PKG_CONFIG_PATH
[ "$(pkg-config --variable=prefix atc | xargs realpath)" = "$(realpath "$prefix")" ] || {
  echo "atc.pc believes that it is in $(pkg-config --variable=prefix atc)"
  exit 1
}
# pkg-config puts a backslash before characters that a shell would interpret, such as a space in a path. So the
# shell has to evaluate its output.
eval "libdir=$(pkg-config --variable=libdir atc)"
echo "--- atc1.h"
eval "set -- $(pkg-config --cflags atc)"
echo '#include "atc/atc1.h"' | "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$@" -fsyntax-only -x c -
for source in "$sources"/*.c; do
  name=$(basename "$source" .c)
  case $name in
    cuda_*)
      echo "--- $name: skipped: find_package.sh builds it, CMake finds the CUDA toolkit"
      continue
      ;;
    mpi_*)
      echo "--- $name: skipped: find_package.sh builds it, CMake finds MPI"
      continue
      ;;
  esac
  eval "set -- $(pkg-config --cflags atc) \"\$source\" -o \"\$out/\$name\" $(pkg-config --libs atc)"
  "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -O2 "$@" -Wl,-rpath,"$libdir"
  echo "--- $name"
  sh "$here/clean_env.sh" "$out/$name"
done

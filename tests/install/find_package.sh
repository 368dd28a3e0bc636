#!/bin/sh
# Configures a CMake project that calls find_package(atc), builds it and runs its tests:
# find_package.sh PREFIX CMAKE SOURCES OUT [ARGUMENTS OF CMAKE...]
set -eu
clean_env=$(realpath "$(dirname "$0")/clean_env.sh")
clean() { sh "$clean_env" "$@"; }
prefix=$1 cmake=$2 sources=$3 out=$4
shift 4
rm -rf "$out"
clean "$cmake" -S "$sources" -B "$out" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" "$@"
grep -q "^atc_DIR:PATH=$prefix/" "$out/CMakeCache.txt" || { echo "another atc was found"; exit 1; }
clean "$cmake" --build "$out"
cd "$out"
clean "$(dirname "$cmake")/ctest" --output-on-failure --no-tests=error

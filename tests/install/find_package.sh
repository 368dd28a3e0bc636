#!/bin/sh
# Configures a project of examples with find_package(atc), builds it and runs its tests:
# find_package.sh PREFIX CMAKE SOURCES OUT
set -eu
clean="sh $(dirname "$0")/clean_env.sh"
rm -rf "$4"
$clean "$2" -S "$3" -B "$4" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$1"
grep -q "^atc_DIR:PATH=$1/" "$4/CMakeCache.txt" || { echo "another atc was found"; exit 1; }
$clean "$2" --build "$4"
cd "$4"
$clean "$(dirname "$2")/ctest" --output-on-failure --no-tests=error

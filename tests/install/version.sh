#!/bin/sh
# Checks that find_package(atc VERSION) accepts 0.1 and refuses 0.0, 0.2 and 1: version.sh PREFIX
# CMAKE OUT
set -eu
rm -rf "$3"
mkdir -p "$3"
cat >"$3/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(version LANGUAGES NONE)
find_package(atc ${WANTED} CONFIG QUIET)
if(NOT atc_FOUND STREQUAL EXPECTED)
  message(FATAL_ERROR "atc ${WANTED}: found ${atc_FOUND}, expected ${EXPECTED}")
endif()
message(STATUS "atc ${WANTED}: ${atc_FOUND}")
CMAKE
for pair in 0.1:1 0.1.0:1 0.0:0 0.2:0 1:0; do
  "$2" -S "$3" -B "$3/b" --fresh -DCMAKE_PREFIX_PATH="$1" -DWANTED="${pair%:*}" -DEXPECTED="${pair#*:}"
done

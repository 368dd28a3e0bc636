#!/bin/sh
# Builds the Rust examples against an installed libatc, and runs them from cargo's folder: rust.sh
# lib_dir|pkg_config PREFIX SOURCES OUT. The first argument says whether libatc is found by ATC_LIB_DIR or by
# pkg-config.
set -eu
if ! command -v cargo >/dev/null; then
  echo "skipped: cargo is missing"
  exit 77
fi
pc=$(find "$2" -name atc.pc)
unset ATC_LIB_DIR LD_LIBRARY_PATH PKG_CONFIG_PATH
case $1 in
  lib_dir) ATC_LIB_DIR=$(dirname "$(dirname "$pc")") && export ATC_LIB_DIR ;;
  pkg_config) PKG_CONFIG_PATH=$(dirname "$pc") && export PKG_CONFIG_PATH ;;
esac
export CARGO_TARGET_DIR="$4"
cargo build --locked --bins --manifest-path "$3/Cargo.toml"
for program in convolution cuda_convolution toggles tuning; do
  echo "--- $program"
  status=0
  rm -f "$4"/loaded.*
  sh "$(dirname "$0")/clean_env.sh" env LD_DEBUG=files LD_DEBUG_OUTPUT="$4/loaded" "$4/debug/$program" || status=$?
  grep -q "calling init: $2/.*/libatc.so.1" "$4"/loaded.* || {
    echo "$program does not use the libatc in $2"
    exit 1
  }
  # An example for CUDA returns the status 77 if there is no CUDA device. This is no failure.
  case $program:$status in
    *:0 | cuda_*:77) ;;
    *) exit "$status" ;;
  esac
done

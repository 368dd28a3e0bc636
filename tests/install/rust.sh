#!/bin/sh
# Builds and runs the Rust examples against an installed libatc: rust.sh LIBDIR SOURCES OUT
set -eu
if ! command -v cargo >/dev/null; then
  echo "skipped: cargo is missing"
  exit 77
fi
export ATC_LIB_DIR="$1" CARGO_TARGET_DIR="$3" LD_LIBRARY_PATH="$1"
cd "$2"
cargo build --release --bins
for program in "$3"/release/*; do
  if [ -f "$program" ] && [ -x "$program" ]; then
    echo "--- $program"
    "$program"
  fi
done

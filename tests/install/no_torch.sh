#!/bin/sh
# Checks that find_package(atc COMPONENTS torch) fails with a message if atc was installed without the LibTorch
# bridge:
# no_torch.sh PREFIX CMAKE OUT
set -eu
rm -rf "$3"
mkdir -p "$3"
if "$2" -S "$(dirname "$0")/torch" -B "$3/b" -DCMAKE_PREFIX_PATH="$1" >"$3/configure.txt" 2>&1; then
  echo "atc::torch was found"
  exit 1
fi
tr -s ' \n' ' ' <"$3/configure.txt" | grep -F "was built without the LibTorch bridge" || {
  cat "$3/configure.txt"
  exit 1
}

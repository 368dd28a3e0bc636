#!/bin/sh
# Builds programs with the installed LibTorch bridge in three ways: torch.sh PREFIX CMAKE CXX LIBTORCH OUT. The ways are
# CMake with LIBTORCH_ROOT, CMake with a LibTorch that the project links itself, and pkg-config with a plain compiler.
# If LIBTORCH_ROOT names a folder that does not exist, CMake must fail with an error that says so.
set -eu
prefix=$1 cmake=$2 cxx=$3 libtorch=$4 out=$5
sources=$(dirname "$0")/torch
clean_env=$(realpath "$(dirname "$0")/clean_env.sh")
clean() { sh "$clean_env" "$@"; }
rm -rf "$out"
mkdir -p "$out"

configure() {
  clean "$cmake" -S "$sources" -B "$out/$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" "$2"
}

for how in LIBTORCH_ROOT OWN_LIBTORCH; do
  echo "--- $how"
  configure $how -D$how="$libtorch"
  clean "$cmake" --build "$out/$how"
  clean "$out/$how/bridge_user"
  ldd "$out/$how/bridge_user" | grep "libatc_torch.so.1 => $prefix/" || { echo "another bridge is used"; exit 1; }
done

echo "--- pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name atc-torch.pc)")
export PKG_CONFIG_PATH
# pkg-config puts a backslash before characters that a shell would interpret, such as a space in a path. So the shell
# has to evaluate its output.
eval "libdir=$(pkg-config --variable=libdir atc-torch)"
eval "set -- $(pkg-config --cflags atc-torch) -isystem \"\$libtorch/include\" \"\$sources/main.cpp\" -o \"\$out/pkgconfig\" \
  $(pkg-config --libs atc-torch)"
"$cxx" -std=c++17 "$@" -L"$libtorch/lib" -ltorch_cpu -lc10 -Wl,-rpath,"$libdir" -Wl,-rpath,"$libtorch/lib"
clean "$out/pkgconfig"

echo "--- a LIBTORCH_ROOT that leads nowhere"
if configure nowhere -DLIBTORCH_ROOT="$out/no-libtorch" >"$out/nowhere.txt" 2>&1; then
  echo "it was taken"
  exit 1
fi
tr -s ' \n' ' ' <"$out/nowhere.txt" | grep -F "no-libtorch: no LibTorch headers" >/dev/null || {
  cat "$out/nowhere.txt"
  exit 1
}

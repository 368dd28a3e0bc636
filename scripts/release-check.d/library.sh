# Sourced by scripts/release-check, which sets root and work. The functions check the library itself: they build it for
# another processor, build it twice and compare the files, and run each implementation of oneDNN.
#
# shellcheck shell=bash disable=SC2154

aarch64() {
  command -v aarch64-linux-gnu-g++ >/dev/null || { echo "skipped: aarch64 needs a cross compiler: apt-get install g++-aarch64-linux-gnu qemu-user"; return; }
  command -v apt-get >/dev/null || { echo "skipped: aarch64 needs apt, for Debian's libraries for aarch64"; return; }
  local state=$work/apt sysroot=$work/aarch64 package
  mkdir -p "$state/lists/partial" "$state/archives/partial" "$sysroot"
  : >"$state/status" # an empty list of installed packages, so that apt downloads every dependency
  local -a apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state" -o Dir::State::status="$state/status"
    -o Dir::Cache="$state" -o APT::Sandbox::User=)
  "${apt[@]}" update
  "${apt[@]}" install --download-only --no-install-recommends -y \
    libstdc++6 zlib1g-dev nlohmann-json3-dev libfmt-dev libxxhash-dev libgtest-dev libgmock-dev
  for package in "$state"/archives/*.deb; do dpkg-deb --extract "$package" "$sysroot"; done
  cmake -G Ninja -S "$root" -B "$work/cross" -DCMAKE_BUILD_TYPE=Release -DATC_TESTS=ON -DATC_ONEDNN=OFF -DATC_KERNELS=OFF -DATC_TORCH=OFF \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_SYSROOT="$sysroot" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
    -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64;-L;$sysroot" >"$work/configured.txt"
  cmake --build "$work/cross" --target atc tests/unit/all >"$work/built.txt" || { tail "$work/built.txt" >&2; return 1; }
  readelf --file-header "$work/cross/lib/libatc.so" | grep -q AArch64
  if ! command -v qemu-aarch64 >/dev/null; then
    echo "skipped: the unit tests on aarch64 need qemu: apt-get install qemu-user"
    return
  fi
  # The tests in `left_out` cannot run in the emulator (qemu), for two reasons. First, a store reads /proc/PID/stat to
  # find temporary files of processes that no longer exist, and in qemu /proc/self/stat and /proc/PID/stat of the same
  # process differ. Second, in qemu a process with threads hangs after several forks.
  local left_out='StoreProcesses.*:TempFiles.*:LivePool.IsASubstitutesAfterEveryFurtherFork'
  echo "left out, because qemu's user mode cannot run them: $left_out"
  GTEST_FILTER="-$left_out" ctest --test-dir "$work/cross" --label-regex '^unit' --no-tests=error --output-on-failure
}

reproducible() {
  local folder
  local -a arguments
  read -ra arguments <<<"${ATC_CMAKE_ARGS:-}"
  for folder in one "another folder/ of a longer path"; do
    mkdir -p "$work/$folder"
    git clone --quiet "$root" "$work/$folder/atc"
    mkdir "$work/$folder/atc/build"
    [[ ! -e $root/build/deps ]] || ln -s "$root/build/deps" "$work/$folder/atc/build/deps"
    { cmake -G Ninja -S "$work/$folder/atc" -B "$work/$folder/atc/build/it" -DCMAKE_BUILD_TYPE=Release -DATC_TESTS=OFF -DATC_TORCH=OFF "${arguments[@]}" &&
      CCACHE_DISABLE=1 cmake --build "$work/$folder/atc/build/it" --target atc &&
      cmake --install "$work/$folder/atc/build/it" --prefix "$work/$folder/installed" --component runtime --strip; } \
      >"$work/build.txt" || { tail "$work/build.txt" >&2; return 1; }
  done
  (cd "$work/one/installed" && find . -type f -exec sha256sum {} + | sort -k2) >"$work/sums"
  cat "$work/sums"
  (cd "$work/another folder/ of a longer path/installed" && sha256sum --quiet --check "$work/sums")
}

onednn() {
  local sweep=$root/build/ci/tests/implementations/onednn_sweep isa flag
  if [[ ! -x $sweep ]]; then
    echo "skipped: onednn needs onednn_sweep in build/ci: make test"
    return
  fi
  while read -r isa flag; do
    if ! grep -qw "$flag" /proc/cpuinfo; then
      echo "skipped: $isa, which this processor does not have"
      continue
    fi
    ONEDNN_MAX_CPU_ISA=$isa OMP_WAIT_POLICY=passive "$sweep" --layers 2000 --seed 1
  done <<<"AVX2 avx2
AVX512_CORE avx512vl
AVX512_CORE_AMX amx_tile"
}

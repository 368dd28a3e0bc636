# Sourced by scripts/release-check, which sets root and work. The functions do the first steps of a new user, from an
# empty home: one uses a clone, one runs the commands of README.md, and others use the packaged crates without the
# source tree.
#
# shellcheck shell=bash disable=SC2154

clone() {
  git clone --quiet "$root" "$work/atc"
  "$work/atc/scripts/setup" build
  sh "$root/tests/install/outside.sh" "$work/atc" built
}

# readme_block LINE: prints the code block of README.md that has a line beginning with LINE.
readme_block() {
  awk -v wanted="$1" '/^```/ { if (found) exit; block = "" } !/^```/ { block = block $0 "\n" } index($0, wanted) == 1 { found = 1 }
    END { if (found) printf "%s", block; exit !found }' "$root/README.md" || { echo "release-check: README has no line \`$1\`" >&2; return 1; }
}

debian() {
  if [[ $EUID != 0 ]] || ! command -v debootstrap >/dev/null; then
    echo "skipped: debian needs root and debootstrap"
    return
  fi
  local debian=$work/debian
  # Installs the tools that README names, and git and certificates for the download. Rust comes from the machine that
  # runs this script, because Debian's Rust is too old.
  debootstrap --variant=minbase --include=g++,cmake,ninja-build,python3,pkg-config,make,git,ca-certificates \
    bookworm "$debian" >"$work/debootstrap.txt" || { tail "$work/debootstrap.txt" >&2; return 1; }
  # Copies the network settings of this machine: the name servers, and the certificates (a proxy may have its own).
  cp /etc/resolv.conf "$debian/etc"
  cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs"
  cp -r "$(rustc --print sysroot)" "$debian/opt/rust"
  git clone --quiet "$root" "$debian/root/atc"
  {
    echo "make demo"
    readme_block 'cc examples/c/convolution.c '
    echo cd
    readme_block 'cargo add --path CLONE/rust/atc' | sed 's,CLONE,/root/atc,'
    echo "./target/debug/app"
  } >"$debian/root/lines"
  # unshare makes the mounts in a namespace of their own, so they end with the process.
  unshare --mount sh -euc 'mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" && chroot "$1" env -i HOME=/root \
    PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -euxc "cd /root/atc && . /root/lines"' - "$debian"
}

# unpacked PACKAGE...: packages the crates as for crates.io, and unpacks them into $work/crates.
unpacked() {
  local package crate
  "$root/scripts/vendor"
  for package in "$@"; do
    cargo package --quiet --no-verify --locked --allow-dirty --manifest-path "$root/rust/Cargo.toml" \
      --target-dir "$work/target" --package "$package" --exclude-lockfile
  done
  rm -rf "$work/crates"
  mkdir "$work/crates"
  for crate in "$work"/target/package/*.crate; do
    (($(stat -c %s "$crate") < 10000000)) || { echo "release-check: ${crate##*/} is larger than the 10 MB that crates.io takes" >&2; exit 1; }
    tar -xzf "$crate" -C "$work/crates"
  done
}

crates() {
  unpacked atc-sys atc
  sh "$root/tests/install/outside.sh" "$root" packaged "$work/crates"
}

# Most of the time of this check is for compiling. So libatc is built without CUDA (nvcc takes the longest), because the examples
# run on the CPU only; `crates` builds all of libatc from its package. oneDNN is used if scripts/setup has brought it: without oneDNN
# candle itself would run the convolutions, and nothing would be compared. Rust optimizes less than usual. The compiled dependencies
# remain in build/release-check/candle for the next time.
candle() {
  local package app=$root/build/release-check/candle deps=${ATC_DEPS_DIR:-$root/build/deps} programs libraries library
  unpacked atc-sys atc atc-candle
  rm -rf "$app/crates" "$app/src" "$app/examples" "$app/Cargo.toml" "$app/target/release/examples"
  mkdir -p "$app/src"
  mv "$work/crates" "$app/crates"
  # In packages all files have the same old date. cargo and CMake compile a file only if it is newer than the compiled one.
  find "$app/crates" -type f -exec touch {} +
  cd "$app"
  {
    printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n'
    printf 'atc-candle = { version = "0.1.0", features = ["vendored"] }\n'
    sed -n '/^candle-/p' "$root/rust/Cargo.toml"
    printf '\n[profile.release]\nopt-level = 1\n'
    printf '\n[patch.crates-io]\n'
    for package in crates/*; do printf '%s = { path = "%s" }\n' "$(basename "${package%-*}")" "$package"; done
  } >Cargo.toml
  touch src/lib.rs
  cp -r crates/atc-candle-*/examples .
  local arguments="-DATC_CUDA=OFF -DATC_PRECOMPILED=ON ${ATC_CMAKE_ARGS:-}"
  [[ ! -e $deps/onednn ]] || arguments="-DATC_ONEDNN=ON -DATC_DEPS_DIR=$deps $arguments"
  ATC_CMAKE_ARGS=$arguments cargo build --quiet --release --examples --target-dir target
  programs=$app/target/release/examples
  # Each program compares its outputs with candle's. Its exit code is 0 if the outputs are equal.
  "$programs/resnet" samples=1 size=64
  "$programs/vae_decoder" samples=1 size=4
  "$programs/codec" samples=1 size=2
  "$programs/compare" samples=1 tune budget=5
  # Without libatc candle itself runs the convolutions.
  libraries=$(find target/release/build -path '*/atc-sys-*/libatc.so*')
  for library in $libraries; do mv "$library" "${library%/*}/away-${library##*/}"; done
  local status=0
  "$programs/compare" samples=1 || status=$?
  for library in $libraries; do mv "${library%/*}/away-${library##*/}" "$library"; done
  cd "$root"
  return "$status"
}

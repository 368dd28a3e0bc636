# Sourced by scripts/release-check, which sets root and work. Functions that take the first steps of a new user from an empty home:
# they use a clone, the commands of README.md, and the published crates without the tree.
#
# shellcheck shell=bash disable=SC2154

clone() {
  git clone --quiet "$root" "$work/atc"
  "$work/atc/scripts/setup" build
  sh "$root/tests/install/outside.sh" "$work/atc" built
}

# readme_block LINE: the block of README's commands with a line that begins with LINE.
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
  # The tools of README's first screen; git and certificates to get there. Rust is the caller's: Debian's is too old.
  debootstrap --variant=minbase --include=g++,cmake,ninja-build,python3,pkg-config,make,git,ca-certificates \
    bookworm "$debian" >"$work/debootstrap.txt" || { tail "$work/debootstrap.txt" >&2; return 1; }
  # How the caller reaches the network, certificates of a proxy among it.
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
  # Mounts end with the process that made them.
  unshare --mount sh -euc 'mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" && chroot "$1" env -i HOME=/root \
    PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -euxc "cd /root/atc && . /root/lines"' - "$debian"
}

crates() {
  "$root/scripts/vendor"
  local packages=(atc-sys atc) package crate
  for package in "${packages[@]}"; do
    cargo package --quiet --no-verify --locked --allow-dirty --manifest-path "$root/rust/Cargo.toml" \
      --target-dir "$work/target" --package "$package" --exclude-lockfile
  done
  mkdir "$work/crates"
  for crate in "$work"/target/package/*.crate; do
    (($(stat -c %s "$crate") < 10000000)) || { echo "release-check: ${crate##*/} is larger than the 10 MB that crates.io takes" >&2; exit 1; }
    tar -xzf "$crate" -C "$work/crates"
  done
  sh "$root/tests/install/outside.sh" "$root" packaged "$work/crates"
}

#!/bin/sh
# Builds and starts the first Rust program of a new user, outside of the source tree, with an empty home folder
# and without a network. The script runs `cargo add --path` and `cargo run`. Then it starts the program from
# target/, and from another folder with the library beside the program. The second argument says how atc is found:
#   outside.sh SOURCE installed PREFIX...   by PKG_CONFIG_PATH, and then by ATC_LIB_DIR, in each PREFIX
#   outside.sh SOURCE built                 not at all, so cargo builds the libatc in SOURCE
#   outside.sh SOURCE packaged CRATES       by the feature `vendored` of the packages in the folder CRATES
set -eu
if ! command -v cargo >/dev/null; then
  echo "skipped: cargo is missing"
  exit 77
fi
source=$(realpath "$1") how=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Copies the crates on which atc depends from the cargo cache of the user who runs the test, in the versions of the
# workspace's Cargo.lock.
mkdir "$out/vendor" "$out/home"
cargo init --quiet --vcs none --name app "$out/vendor"
cargo add --quiet --manifest-path "$out/vendor/Cargo.toml" --path "$source/rust/atc"
cp "$source/rust/Cargo.lock" "$out/vendor"
mkdir "$out/home/.cargo"
(cd "$out/vendor" && cargo vendor --quiet "$out/crates")
cat >"$out/home/.cargo/config.toml" <<TOML
[source.crates-io]
replace-with = "vendored"
[source.vendored]
directory = "$out/crates"
TOML

offline=
if unshare --map-root-user --net true 2>/dev/null; then
  offline="unshare --map-root-user --net"
else
  echo "not without a network: unshare is not permitted here"
fi
rustup=${RUSTUP_HOME:-$HOME/.rustup}

# as_new_user [VARIABLE=VALUE...] COMMAND...: runs COMMAND with an empty home folder and without a network.
as_new_user() {
  # shellcheck disable=SC2086
  $offline env -i PATH="$PATH" HOME="$out/home" RUSTUP_HOME="$rustup" ${CCACHE_DIR:+CCACHE_DIR="$CCACHE_DIR"} "$@"
}

# uses LIBRARY PROGRAM: checks that PROGRAM runs in an empty environment and loads LIBRARY and no
# other libatc.
uses() {
  rm -f "$out"/loaded.*
  env -i LD_DEBUG=files LD_DEBUG_OUTPUT="$out/loaded" "$2"
  loaded=$(sed -n 's/.*calling init: \(.*libatc\.so[^ ]*\)$/\1/p' "$out"/loaded.*)
  [ "$(realpath "$loaded")" = "$(realpath "$1")" ] || { echo "$2 loads '$loaded', not $1"; exit 1; }
}

if [ "$how" = packaged ]; then
  for package in "$1"/*; do
    cp -r "$package" "$out/crates"
    echo '{"files":{}}' >"$out/crates/${package##*/}/.cargo-checksum.json"
  done
fi

cd "$out"
as_new_user cargo new --quiet --vcs none app
cd app
case $how in
  packaged) as_new_user cargo add --quiet atc --features vendored ;;
  *) as_new_user cargo add --quiet --path "$source/rust/atc" ;;
esac
cp "$source/examples/rust/convolution.rs" src/main.rs

if [ "$how" != installed ]; then
  echo "--- $how"
  as_new_user ${ATC_CMAKE_ARGS:+"ATC_CMAKE_ARGS=$ATC_CMAKE_ARGS"} cargo run --quiet
  uses "$(find target -path '*/atc-sys-*/libatc.so.1')" target/debug/app
  exit 0
fi

for prefix in "$@"; do
  pc=$(dirname "$(find "$prefix" -name atc.pc)")
  lib=$(dirname "$pc")
  for variable in "PKG_CONFIG_PATH=$pc" "ATC_LIB_DIR=$lib"; do
    echo "--- $variable"
    as_new_user "$variable" cargo run --quiet
    uses "$lib/libatc.so.1" target/debug/app
  done
done

echo "--- the library beside the program"
mkdir "$out/moved"
cp -L target/debug/app "$lib"/libatc.so.1 "$out/moved"
[ ! -e "$lib/libdnnl.so.3" ] || cp -L "$lib/libdnnl.so.3" "$out/moved"
uses "$out/moved/libatc.so.1" "$out/moved/app"

echo "--- an older library, in LD_LIBRARY_PATH"
mkdir "$out/older"
echo 'int atc1_abi_version(void) { return 1; }' | cc -shared -xc -o "$out/older/libatc.so.1" -
env -i LD_LIBRARY_PATH="$out/older" target/debug/app 2>"$out/older/stderr" && exit 1
cat "$out/older/stderr"
grep -q "^atc: the libatc.so.1 that was found is older than this program: it has no atc1_" "$out/older/stderr"

echo "--- no library"
status=0
as_new_user ATC_LIB_DIR="$out/nowhere" cargo run --quiet >"$out/none" 2>&1 || status=$?
cat "$out/none"
[ "$status" != 0 ] && grep -qF "libatc.so.1 was not found beside the program, in $out/nowhere or" "$out/none" || {
  echo "the program does not say that it misses libatc"
  exit 1
}

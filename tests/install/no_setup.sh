#!/bin/sh
# Checks the errors if a dependency that scripts/setup installs is missing: no_setup.sh CMAKE SOURCE OUT. CMake and
# cargo must fail with one sentence that names the dependency. While cargo builds libatc, `cargo -vv` must show the
# lines of the compiler. If that build fails, the error must name the log with these lines.
set -eu
cmake=$1 source=$2 out=$3
rm -rf "$out"
mkdir -p "$out"

# says SENTENCE FILE: checks that FILE contains SENTENCE, whatever its line breaks are.
says() {
  tr -s ' \n' ' ' <"$2" | grep -qF "$1" || {
    cat "$2"
    echo "that does not say: $1"
    exit 1
  }
}

for name in "nlohmann_json 3.10" "fmt 8" "ZLIB 1" "dnnl 3"; do
  package=${name% *}
  if "$cmake" -S "$source" -B "$out/cmake" -DATC_TESTS=OFF -DATC_TORCH=OFF -DATC_KERNELS=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_"$package"=ON >"$out/$package.txt" 2>&1; then
    echo "atc is configured without $package"
    exit 1
  fi
  says "was not found: run scripts/setup build" "$out/$package.txt"
  rm -r "$out/cmake"
done
sentence="oneDNN 3 was not found: run scripts/setup build, which brings what atc is built with, or configure with -DATC_ONEDNN=OFF."
says "$sentence" "$out/dnnl.txt"

if ! command -v cargo >/dev/null; then
  echo "skipped: cargo is missing"
  exit 77
fi
unset ATC_LIB_DIR PKG_CONFIG_PATH
if ATC_CMAKE_ARGS=-DCMAKE_DISABLE_FIND_PACKAGE_dnnl=ON CARGO_TARGET_DIR=$out/target \
  cargo build --locked --manifest-path "$source/rust/Cargo.toml" --package atc-sys >"$out/cargo.txt" 2>&1; then
  echo "atc-sys is built without oneDNN"
  exit 1
fi
says "error: atc-sys@0.1.0: $sentence" "$out/cargo.txt"
[ "$(grep -c '^error' "$out/cargo.txt")" = 2 ] || { cat "$out/cargo.txt"; echo "more than that sentence"; exit 1; }

cat >"$out/compiler" <<'SH'
#!/bin/sh
[ "$1" = --build ] || exit 0
echo "[1/2] one line for standard output"
echo "[2/2] another one for errors" >&2
exit 1
SH
chmod +x "$out/compiler"
mkdir "$out/compiled"
if CMAKE=$out/compiler CARGO_TARGET_DIR=$out/target cargo build -vv --locked --manifest-path "$source/rust/Cargo.toml" \
  --package atc-sys >"$out/compiled/cargo.txt" 2>&1; then
  echo "atc-sys is built although libatc does not compile"
  exit 1
fi
says "[atc-sys 0.1.0] [1/2] one line for standard output" "$out/compiled/cargo.txt"
says "[atc-sys 0.1.0] [2/2] another one for errors" "$out/compiled/cargo.txt"
log=$(sed -n 's/.*libatc does not compile: \(.*\) has the compiler.*/\1/p' "$out/compiled/cargo.txt" | head -1)
grep -q "another one for errors" "$log"

# Sourced by scripts/release-check, which sets root and work. The functions test the LibTorch bridge, and training
# through it, with several versions of LibTorch.
#
# shellcheck shell=bash disable=SC2154

tch() {
  local build=$root/build/ci deps=${ATC_DEPS_DIR:-$root/build/deps}
  if [[ ! -e $build/lib/libatc_torch-2.11.so ]]; then
    echo "skipped: tch needs libatc_torch for LibTorch 2.11 in build/ci: scripts/setup, then make test"
    return
  fi
  "$root/scripts/setup" gpu --quiet
  env -u LIBTORCH_USE_PYTORCH ATC_LIB_DIR="$build/lib" LIBTORCH="$deps/libtorch_gpu/torch" \
    cargo test --locked --manifest-path "$root/rust/tch-0.24/Cargo.toml" --target-dir "${CARGO_TARGET_DIR:-$root/rust/target}/tch-0.24"

  on_another_libtorch 2.12 "$root/rust/tch-0.24" tch-bypass
  on_another_libtorch 2.9 "$root/rust/tch-0.22" tch-0.22
  on_another_libtorch 2.9 "$root/examples/rust/train-burn" train-burn
}

# on_another_libtorch MINOR PACKAGE TARGET: runs the tests of a package with the LibTorch of this minor version, which
# scripts/torch-versions has installed.
on_another_libtorch() {
  local versions=${ATC_TORCH_VERSIONS_DIR:-$root/build/torch-versions} site
  site=$(echo "$versions/venv-$1"/lib/python3.11/site-packages)
  if [[ ! -e $site/torch || ! -e $versions/lib/libatc_torch-$1.so ]]; then
    echo "skipped: $2 with LibTorch $1 takes scripts/torch-versions $1"
    return
  fi
  local libraries=("$site"/torch/lib "$site"/nvidia/*/lib "$versions/lib")
  env -u LIBTORCH_USE_PYTORCH ATC_LIB_DIR="$versions/lib" LIBTORCH="$site/torch" LIBTORCH_BYPASS_VERSION_CHECK=1 OMP_WAIT_POLICY=passive \
    LD_LIBRARY_PATH="$(IFS=:; echo "${libraries[*]}")" \
    cargo test --locked --manifest-path "$2/Cargo.toml" --target-dir "${CARGO_TARGET_DIR:-$root/rust/target}/$3"
}

torch() {
  "$root/scripts/torch-versions"
}

training() {
  local build=$root/build/ci
  if [[ ! -e $build/lib/libatc_torch.so ]]; then
    echo "skipped: training needs LibTorch and libatc_torch in build/ci: scripts/setup, then make test"
    return
  fi
  "$root/scripts/rust-examples" "$build"
  "$root/scripts/repeat-training" "$build/examples/rust/train-tch"
}

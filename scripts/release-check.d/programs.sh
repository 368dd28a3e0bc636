# Sourced by scripts/release-check, which sets root and work. One function checks the page of `atc report` in a browser;
# another checks the Python wheel.
#
# shellcheck shell=bash disable=SC2154

report() {
  local status=0
  cargo build --quiet --locked --manifest-path "$root/rust/Cargo.toml" --package atc-cli
  local atc=${CARGO_TARGET_DIR:-$root/rust/target}/debug/atc
  python3 "$root/rust/atc-cli/tests/browser/run.py" "$atc" || status=$?
  if [[ $status == 77 ]]; then
    echo "skipped: report needs Chromium: apt-get install chromium"
    return
  fi
  return "$status"
}

wheel() {
  local build=${ATC_WHEEL_BUILD:-} arguments=()
  if [[ -z $build ]]; then
    build=$root/build/release
    (cd "$root" && cmake --preset release && cmake --build --preset release) >"$work/release.txt" || { tail "$work/release.txt" >&2; return 1; }
    ATC_LIB_DIR=$build/lib cargo build --quiet --release --locked --manifest-path "$root/rust/Cargo.toml" --package atc-cli
    arguments=(--command "${CARGO_TARGET_DIR:-$root/rust/target}/release/atc")
  fi
  "$root/scripts/python-wheel" "$build" "$work/wheels" "${arguments[@]}"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" --quiet --disable-pip-version-check install "$work"/wheels/*.whl numpy pytest mypy
  cp -r "$root/python/tests" "$work/tests"
  local clean=(env -i HOME="$work" PATH=/usr/bin:/bin OMP_WAIT_POLICY=passive)
  (cd "$work/tests" && "${clean[@]}" "$work/venv/bin/python" -m pytest -q -r s)
  if [[ -x $(echo "$work"/venv/lib/python*/site-packages/atc/bin/atc) ]]; then "${clean[@]}" "$work/venv/bin/atc" env; fi
  "${clean[@]}" "$work/venv/bin/mypy" --strict --package atc
  if [[ -n ${ATC_TORCH_PYTHON:-} ]]; then
    "$ATC_TORCH_PYTHON" -m pip --quiet --disable-pip-version-check install --no-deps --target "$work/beside-torch" "$work"/wheels/*.whl
    (cd "$work/tests" && "${clean[@]}" PYTHONPATH="$work/beside-torch" "$ATC_TORCH_PYTHON" -m unittest discover -v -p test_torch.py)
  fi
}

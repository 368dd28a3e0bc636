#!/usr/bin/env bash
# Records the convolutions of a run, tunes them without the program, copies the store, and runs the program replay-only,
# as docs/libtorch.md describes:
#   record_tune_replay.sh PROGRAM LIBATC_TORCH FOLDER_OF_LIBATC FOLDER_OF_LIBTORCH RUST WORK
# RUST is a built program `atc`, or the folder in which it is built. WORK is a folder for the files of the test. The
# environment variable RECORDED_NET_DEVICE names the device; if it is not set, the device is the CPU.
set -euo pipefail
program=$1 bridge=$2 libatc=$3 libtorch=$4 rust=$5 work=$6

fail() {
  echo "record_tune_replay: $*" >&2
  exit 1
}

rm -rf "$work"
mkdir -p "$work/shipped"
if [[ -d $rust ]]; then
  if ! command -v cargo >/dev/null; then
    echo "skipped: cargo is missing"
    exit 77
  fi
  (cd "$rust" && ATC_LIB_DIR=$libatc cargo build --locked --quiet -p atc-cli)
  atc=${CARGO_TARGET_DIR:-$rust/target}/debug/atc
else
  atc=$rust
fi
unset ATC_STORE ATC_MODE ATC_RECORD

# A relative path in ATC_RECORD must be relative to the folder in which the program was started, although the program
# changes its folder.
(cd "$work" && RECORDED_NET_FOLDER=/ ATC_RECORD=recorded.json "$program" | tee "$work/recorded.txt")
convolutions=$(sed -n 's/^0 of \([0-9]*\) .*/\1/p' "$work/recorded.txt")
[[ -n $convolutions ]] || fail "without a store nothing is decided"

tune() {
  LD_LIBRARY_PATH=$libatc:$libtorch${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$atc" tune "$work/recorded.json" --plugin "$bridge" \
    --device "${RECORDED_NET_DEVICE:-cpu}" --technique once --problem-budget 30s --quiet "$@"
}
tune --store "$work/tuned" --json "$work/result.json"
grep -q '"engine": "aten"' "$work/result.json" || fail "LibTorch's own convolution took no part"
grep -q '"original": "aten"' "$work/result.json" || fail "the recording does not say what its program ran"
! grep -q '"default": null' "$work/result.json" || fail "gains are not told over LibTorch's own convolution"
"$atc" store export --store "$work/tuned" -o "$work/tuned.bundle"
"$atc" store import --store "$work/shipped" "$work/tuned.bundle"

export ATC_STORE=$work/shipped ATC_MODE=replay-only
all_decided() {
  local found
  found=$("$program" "$@")
  [[ $found == "$convolutions of $convolutions convolutions decided" ]] || fail "replayed: $found"
}
not_tuned() {
  local code=0
  "$program" "$@" >/dev/null 2>"$work/refused.txt" || code=$?
  [[ $code == 2 ]] || fail "$*: what was not tuned ended with $code"
  grep -q "replay-only" "$work/refused.txt" || fail "its error says: $(cat "$work/refused.txt")"
}
all_decided
not_tuned other
ATC_STORE=$work/absent not_tuned
ATC_MODE=replayonly not_tuned
if [[ ${RECORDED_NET_DEVICE:-cpu} != cpu ]]; then
  echo "$convolutions convolutions replayed"
  # The following checks are about packed weights (weights in an engine's own layout), which only exist on the CPU.
  exit 0
fi
not_tuned constant

unset ATC_STORE ATC_MODE
tune --store "$work/constant" --constant-weights=recorded
export ATC_STORE=$work/constant ATC_MODE=replay-only
all_decided constant
not_tuned
echo "$convolutions convolutions replayed"

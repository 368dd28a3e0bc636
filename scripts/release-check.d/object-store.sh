# Sourced by scripts/release-check, which sets root and work. Checks `atc store push` and `pull` with a real S3 server.
#
# shellcheck shell=bash disable=SC2154

s3() {
  if ! command -v go >/dev/null; then
    echo "skipped: s3 needs Go, which compiles the server versitygw (https://go.dev/dl)"
    return
  fi
  local library=$root/build/ci/lib
  [[ -e $library/libatc.so ]] || { echo "s3: no libatc.so in $library: run \`make test\` before" >&2; return 1; }
  GOBIN=$work GOPATH=$work/go GOFLAGS=-modcacherw go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
  ATC_LIB_DIR=$library cargo build --quiet --locked --manifest-path "$root/rust/Cargo.toml" --package atc-cli --features remote
  local atc=${CARGO_TARGET_DIR:-$root/rust/target}/debug/atc
  python3 "$root/rust/atc-cli/tests/s3/run.py" "$atc" "$work/versitygw"
}

# Sourced by scripts/test and .ci/run. Defines functions that divide a run into sections. Each section has a heading, a
# log, a time and a total of the tests.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit
logs=$root/build/logs
mkdir -p "$logs"

export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
summary=()

# test_totals LOG: prints the last lines of ctest, and the sum of the results of cargo's test programs.
test_totals() {
  sed -n 's/^[0-9]\+% tests passed, .*/    ctest: &/p' "$1"
  awk '/^test result:/ { passed += $4; failed += $6; ignored += $8; programs++ }
       END { if (programs) printf "    cargo: %d passed, %d failed, %d ignored in %d test programs\n",
                                  passed, failed, ignored, programs }' "$1"
}

print_summary() {
  printf '\n=== %s\n' "summary of ${0#"$root"/}"
  printf '%s\n' "${summary[@]}"
}

# section TITLE COMMAND...: runs the command as a section. The first section that fails ends the
# script, after the summary.
section() {
  local title=$1 log=$logs/${1//[^A-Za-z0-9-]/_}.log status=0 started=$SECONDS took
  shift
  printf '\n=== %s: %s\n' "$title" "$*"
  "$@" </dev/null 2>&1 | tee "$log" || status=$?
  took=$((SECONDS - started))
  summary+=("$(printf '%-6s %-12s %3d min %02d s' "$([[ $status == 0 ]] && echo ok || echo FAILED)" "$title" \
    $((took / 60)) $((took % 60)))")
  local totals
  totals=$(test_totals "$log")
  [[ -z $totals ]] || summary+=("$totals")
  if [[ $status != 0 ]]; then
    print_summary
    printf 'the log is %s\n' "${log#"$root"/}"
    exit "$status"
  fi
}

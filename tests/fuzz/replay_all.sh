#!/bin/sh
# Runs each fuzz target on its corpus, as many targets at once as there are processors. Fails if one
# of the targets fails.
# Usage: replay_all.sh SECONDS BUILD_FOLDER TARGET...
set -eu
seconds=$1 folder=$2
shift 2
corpus=$(cd "$(dirname "$0")" && pwd)/corpus.sh
# shellcheck disable=SC2016
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh -c '
  said=$("$4" unpack "$1" "$2/corpus/$1" && "$2/fuzz_$1" "$3" "$2/corpus/$1" 2>&1) && status=0 || status=1
  printf "%s: %s\n" "$1" "$said"
  exit $status' sh NAME "$folder" "$seconds" "$corpus"

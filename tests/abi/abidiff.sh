#!/bin/sh
# Compares the types and functions of the headers (from the debug information of STUB) with the dump that
# is checked in: abidiff.sh [--update] DUMP STUB. Any difference is a failure, also an added function.
# --update writes the dump anew.
set -eu
update=0
if [ "$1" = --update ]; then
  update=1
  shift
fi
if ! command -v abidiff >/dev/null || ! command -v abidw >/dev/null; then
  echo "skipped: abidiff is missing (Debian package abigail-tools)"
  exit 77
fi
if [ "$update" = 1 ]; then
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs \
    --no-parameter-names --type-id-style hash --out-file "$1" "$2"
  exit 0
fi
abidiff "$1" "$2"

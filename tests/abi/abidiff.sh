#!/bin/sh
# Compares the types and functions of the public headers with a golden dump: abidiff.sh [--update] DUMP
# STUB. STUB is a library made from the headers. The debug information of STUB describes the types and
# functions. Each difference is a failure, even if only a function was added. --update writes DUMP anew.
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

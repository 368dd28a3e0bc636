#!/usr/bin/env bash
# The corpus of a fuzz target: corpus/TARGET has the inputs with a name of their own (regressions, and starting points written by
# hand), corpus/TARGET.tar.gz the inputs that fuzzing found. Equal inputs give an equal archive.
#
#   corpus.sh targets               lists the targets
#   corpus.sh unpack TARGET FOLDER  makes FOLDER anew, with all inputs of the target
#   corpus.sh pack TARGET FOLDER    makes the archive anew, with those inputs of FOLDER that corpus/TARGET does not have
set -euo pipefail
corpus=$(cd "$(dirname "${BASH_SOURCE[0]}")/corpus" && pwd)

targets() {
  local path
  for path in "$corpus"/*; do basename "$path" .tar.gz; done | sort -u
}

unpack() {
  rm -rf "$2"
  mkdir -p "$2"
  if [[ -e $corpus/$1.tar.gz ]]; then tar -xzf "$corpus/$1.tar.gz" -C "$2"; fi
  # The folder corpus/TARGET is missing or empty if all inputs of the target are in the archive.
  if [[ -d $corpus/$1 ]]; then cp -r "$corpus/$1/." "$2"; fi
}

pack() {
  local file
  for file in "$2"/*; do
    if [[ ! -e $corpus/$1/${file##*/} ]]; then printf '%s\0' "${file##*/}"; fi
  done | sort -z |
    tar -c -C "$2" --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 --no-recursion --null --files-from=- |
    gzip -9n >"$corpus/$1.tar.gz.part"
  mv "$corpus/$1.tar.gz.part" "$corpus/$1.tar.gz"
}

case ${1:-} in
  targets) targets ;;
  unpack | pack)
    targets | grep -qx -e "${2:-}" && [[ -n ${3:-} ]] || { echo "corpus.sh: no target '${2:-}', or no folder" >&2; exit 2; }
    "$1" "$2" "$3"
    ;;
  *) sed -n '2,/^set -euo/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac

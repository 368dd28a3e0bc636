#!/bin/sh
# README's lines after "Install and link:", from `cmake --install` on, word by word from an empty home; set-up and build
# have been: readme_lines.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1 build=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/home"
awk '/^Install and link:/ { found = 1 }
     found && /^```$/ { exit }
     shown || (found && /^cmake --install /) { shown = 1; print }' "$source/README.md" >"$out/lines"
grep -q "^cmake --install build/release .*" "$out/lines" || { echo "README does not install build/release"; exit 1; }
cat "$out/lines"
mkdir "$out/build"
ln -s "$build" "$out/build/release"
cp "$source/examples/c/convolution.c" "$out/program.c"
cd "$out"
env -i PATH="$PATH" HOME="$out/home" sh -eu lines

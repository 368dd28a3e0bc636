#!/bin/sh
# Installs a build tree into a prefix of the test: stage.sh CMAKE BUILD_DIR OUT. The prefix is
# OUT/atc.
set -eu
rm -rf "$3"
"$1" --install "$2" --prefix "$3/atc"

#!/bin/sh
# Installs into a staged prefix: stage.sh CMAKE BUILD_DIR OUT  ->  OUT/atc
set -eu
rm -rf "$3"
"$1" --install "$2" --prefix "$3/atc"

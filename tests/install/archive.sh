#!/bin/sh
# Packs the CPack archive of a build tree, and unpacks it in another folder: archive.sh CPACK
# BUILD_DIR OUT. The result is OUT/atc.
set -eu
rm -rf "$3"
mkdir -p "$3/pack" "$3/unpacked"
"$1" --config "$2/CPackConfig.cmake" -G TGZ -B "$3/pack"
tar -xzf "$3"/pack/atc-*.tar.gz -C "$3/unpacked"
mv "$3"/unpacked/* "$3/atc"
ls -l "$3"/pack/*.tar.gz

#!/bin/sh
# Checks an installed tree: relocatable.sh PREFIX BUILD_DIR SOURCE_DIR. No file may name the build folder or the source
# folder. The license must be in the tree. libatc must find oneDNN in the tree or in the system. If the LibTorch bridge
# is in the tree, it must not contain LibTorch.
set -eu
prefix=$1
library=$(find "$prefix" -name 'libatc.so.*' -type f)
[ "$(echo "$library" | wc -l)" = 1 ] || { echo "not one libatc: $library"; exit 1; }

bad=0
# Searches the text files for the two folders, and then the libraries' RUNPATH for a folder other than $ORIGIN. Debug
# information is not searched, because it may name sources.
if grep -rIlF -e "$2" -e "$3" "$prefix" --exclude-dir=doc; then
  echo "the files above name the build or the source folder"
  bad=1
fi
find "$prefix" -name '*.so*' -type f | while read -r file; do
  readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -v '\[\$ORIGIN\]' && echo "RUNPATH of $file" && exit 1
  :
done || bad=1
# Searches the strings in the loaded parts of the libraries for the two folders. The debug information is not loaded.
find "$prefix" -name 'libatc*.so*' -type f | while read -r file; do
  strings -d "$file" | grep -F -e "$2" -e "$3" && echo "$file has the build or the source folder in it" && exit 1
  :
done || bad=1
find "$prefix" -name 'libatc_torch*.so*' -type f | while read -r bridge; do
  readelf -d "$bridge" | grep -q 'RUNPATH.*\[\$ORIGIN\]$' || { echo "$bridge does not look for libatc beside it"; exit 1; }
  readelf -d "$bridge" | grep -E 'NEEDED.*(cuda|cudnn|cublas)' && echo "$bridge is linked to CUDA" && exit 1
  case $bridge in
    *libatc_torch.so*)
      readelf -d "$bridge" | grep -E 'NEEDED.*(torch|c10)' && echo "$bridge is linked to LibTorch" && exit 1
      [ -n "$(find "$(dirname "$bridge")" -name 'libatc_torch-*.so')" ] || { echo "$bridge has no build beside it"; exit 1; }
      ;;
    *)
      for library in libtorch_cpu.so libc10.so; do
        readelf -d "$bridge" | grep -qF "[$library]" || { echo "$bridge does not ask for $library"; exit 1; }
      done
      ;;
  esac
done || bad=1
sh "$(dirname "$0")/clean_env.sh" ldd "$library" >"$prefix/../ldd.txt"
cat "$prefix/../ldd.txt"
if grep -e 'not found' -e "$3/build/deps" "$prefix/../ldd.txt"; then
  echo "libatc does not find the libraries above"
  bad=1
fi
for file in LICENSE README.md CHANGELOG.md; do
  [ -n "$(find "$prefix" -path "*/doc/*/$file")" ] || { echo "$file is not in the tree"; bad=1; }
done
if [ -n "$(find "$prefix" -name 'libdnnl*')" ]; then
  [ -n "$(find "$prefix" -path '*/onednn/LICENSE')" ] || { echo "oneDNN comes without its license"; bad=1; }
  grep -q "libdnnl.so.3 => $prefix/" "$prefix/../ldd.txt" || { echo "another oneDNN is used"; bad=1; }
fi
exit $bad

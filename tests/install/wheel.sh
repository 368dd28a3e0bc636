#!/bin/sh
# Installs the Python wheel with pip, and uses it on its own, without another installed part of atc:
# wheel.sh PYTHON SOURCE_DIR BUILD_DIR OUT
set -eu
python=$1 source=$2 out=$4
rm -rf "$out"
"$source/scripts/python-wheel" "$3" "$out/wheels"
"$python" -m pip --no-input --disable-pip-version-check --quiet install --no-index --no-deps --no-compile \
  --target "$out/installed" "$out"/wheels/*.whl
cp -r "$source/python/tests" "$out/tests"
cd "$out/tests"
exec env -i PATH="$PATH" HOME="$out" PYTHONPATH="$out/installed" OMP_WAIT_POLICY=passive \
  "$python" -m unittest discover -v -p 'test_[lp]*.py'

#!/bin/sh
# Checks a build without cargo, and a build in which cargo fails: no_command.sh CMAKE SOURCE OUT. In both cases the
# library must be built, a message must say that the program atc is missing, and an older program must not be installed.
# With ATC_CLI=ON both cases must be errors.
set -eu
cmake=$1 source=$2 out=$3
rm -rf "$out"
mkdir -p "$out"
bad=0
# says SENTENCE FILE: checks that FILE contains SENTENCE, whatever its line breaks are.
says() { tr -s ' \n' ' ' <"$2" | grep -qF "$1" || { cat "$2"; echo "that does not say: $1"; bad=1; }; }

# configured MODE: configures with ATC_CLI=MODE, while CMake ignores each folder that has cargo. Returns the exit status
# of CMake.
configured() {
  "$cmake" -S "$source" -B "$out/cmake" -DATC_CLI="$1" -DCMAKE_IGNORE_PATH="$folders" -DATC_TESTS=OFF -DATC_TORCH=OFF -DATC_KERNELS=OFF -DATC_ONEDNN=AUTO \
    >"$out/configured.txt" 2>&1
}

folders=$(echo "$PATH:${CARGO_HOME:-$HOME/.cargo}/bin" | tr : '\n' | while read -r folder; do [ ! -x "$folder/cargo" ] || printf '%s;' "$folder"; done)
case ";$folders" in
  *";/usr/bin;"*) echo "not tried without cargo: it is in /usr/bin, which has the compiler too" ;;
  *)
    configured AUTO || { cat "$out/configured.txt"; echo "without cargo the library is not configured"; bad=1; }
    says "The program atc: not built, cargo was not found" "$out/configured.txt"
    ! configured ON || { echo "with ATC_CLI=ON cargo may be missing"; bad=1; }
    says "The program atc (ATC_CLI=ON) cannot be built: cargo was not found" "$out/configured.txt"
    ;;
esac

cat >"$out/cargo" <<'SH'
#!/bin/sh
printf '%s\n' "    Updating an index" "error: failed to get \`askama\` as a dependency" "Caused by: no network" >&2
exit 101
SH
chmod +x "$out/cargo"
# built MODE: builds with ATC_CLI=MODE while cargo has no network. Returns the exit status of the build.
built() {
  mkdir -p "$out/build/bin" "$out/build/share/man/man1"
  echo old >"$out/build/bin/atc"
  echo old >"$out/build/share/man/man1/atc.1"
  "$cmake" -DCARGO="$out/cargo" -DPROFILE=dev -DMODE="$1" -DSTRIP= -DSOURCE="$source" -DOUT="$out/build" -DLIB_DIR="$out/build/lib" \
    -DRUNTIME_DIR=nowhere -P "$source/cmake/BuildCli.cmake" >"$out/build.txt" 2>&1
}

built AUTO || { echo "with AUTO the failure of cargo ends the build"; bad=1; }
says 'The program atc was not built: error: failed to get `askama` as a dependency' "$out/build.txt"
says "The library is complete." "$out/build.txt"
[ ! -e "$out/build/bin/atc" ] && [ ! -e "$out/build/share" ] || { echo "an older program stays"; bad=1; }
! built ON || { echo "with ON the failure of cargo does not end the build"; bad=1; }
says 'The program atc was not built: error: failed to get `askama` as a dependency' "$out/build.txt"
exit $bad

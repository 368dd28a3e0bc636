#!/bin/sh
# Checks the program `atc` of an installed tree: command.sh PREFIX BUILD_DIR SOURCE_DIR OUT. The program must start in
# an empty environment and load the libatc of its own tree, also after the tree was moved. The tree must have the
# program's manual pages and shell completions.
set -eu
prefix=$1 build=$2 source=$3 out=$4
rm -rf "$out"
mkdir -p "$out/home"
bad=0
# claim WHAT: prints the fault WHAT. The test then continues, and fails when it ends.
claim() { echo "$*"; bad=1; }

# uses TREE: checks that the program of TREE loads the libatc of TREE.
uses() {
  rm -f "$out"/loaded.*
  env -i HOME="$out/home" LD_DEBUG=files LD_DEBUG_OUTPUT="$out/loaded" "$1/bin/atc" env >"$out/env.txt" || claim "$1/bin/atc env fails"
  loaded=$(sed -n 's/.*calling init: \(.*libatc\.so[^ ]*\)$/\1/p' "$out"/loaded.*)
  [ -n "$loaded" ] || { claim "$1/bin/atc loads no libatc"; return; }
  case $(realpath "$loaded") in "$(realpath "$1")"/*) ;; *) claim "$1/bin/atc loads $loaded" ;; esac
}

[ -x "$prefix/bin/atc" ] || { echo "there is no program atc in $prefix/bin"; exit 1; }
uses "$prefix"
grep -q '^reference' "$out/env.txt" || { cat "$out/env.txt"; claim "atc env does not list the engine reference"; }
cp -r "$prefix" "$out/moved"
uses "$out/moved"

if strings -d "$prefix/bin/atc" | grep -F -e "$build" -e "$source"; then claim "the program has the lines above in it"; fi
if readelf -d "$prefix/bin/atc" | grep -E 'R(UN)?PATH'; then claim "the program has a path of this machine"; fi

commands=$("$prefix/bin/atc" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 10 ] || claim "atc --help lists only these commands: $commands"
for command in $commands; do
  [ "$command" = help ] || grep -q '^\.SH' "$prefix/share/man/man1/atc-$command.1" || claim "atc $command has no manual page"
done
grep -q '^\.TH atc 1' "$prefix/share/man/man1/atc.1" || claim "atc has no manual page"
for pair in bash:bash-completion/completions/atc zsh:zsh/site-functions/_atc fish:fish/vendor_completions.d/atc.fish; do
  "$prefix/bin/atc" completions "${pair%%:*}" | cmp - "$prefix/share/${pair#*:}" || claim "the completions for ${pair%%:*} are other ones"
done
exit $bad

#!/bin/sh
# Runs a command without anything of the caller's environment that could point into a build tree:
# clean_env.sh COMMAND...
exec env -i PATH="$PATH" HOME="$HOME" "$@"

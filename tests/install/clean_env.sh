#!/bin/sh
# Runs a command without those variables of the caller's environment that may point into a build tree:
# clean_env.sh COMMAND...
exec env -i PATH="$PATH" HOME="$HOME" "$@"

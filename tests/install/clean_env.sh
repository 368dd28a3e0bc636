#!/bin/sh
# Runs a command with an environment that has only PATH and HOME, because other variables may point
# into a build tree: clean_env.sh COMMAND...
exec env -i PATH="$PATH" HOME="$HOME" "$@"

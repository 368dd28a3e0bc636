"""`python -m atc`: the command line."""

from ._command import main

main()

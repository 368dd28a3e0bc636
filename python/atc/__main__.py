"""Runs the command line `atc`: `python -m atc`."""

from ._command import main

main()

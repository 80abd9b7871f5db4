"""`python -m caesura_lab` is the command `caesura`."""

from caesura_lab.cli import main

main()

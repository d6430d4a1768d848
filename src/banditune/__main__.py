"""`python -m banditune`: the command line, where its script is not on the path."""

from banditune.cli import main

main()

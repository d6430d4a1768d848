"""How fast, how large, and against what: each module with a `main` is one command."""

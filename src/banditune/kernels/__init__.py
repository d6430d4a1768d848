"""Compiled inner loops: Numba only, and nothing else of ours."""

"""Slow and obvious versions of every algorithm: the oracles."""

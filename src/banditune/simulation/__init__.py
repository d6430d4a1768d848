"""Runs of policies on tasks: one, many, and beside each other."""

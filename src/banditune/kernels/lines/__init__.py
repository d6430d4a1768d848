"""Policies whose index is a line in the parameter: the merging sweep, and a run for one value."""

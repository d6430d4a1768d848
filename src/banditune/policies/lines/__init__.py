"""Policies whose index is a line in their parameter, or that explore from an edge on: one file each, one kernel."""

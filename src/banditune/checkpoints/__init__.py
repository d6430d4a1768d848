"""Finished work, kept in a folder: what was killed goes on where it was, with the same result."""

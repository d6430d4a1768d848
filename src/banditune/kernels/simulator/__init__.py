"""Compiled runs of all policies, with rewards drawn as they are needed."""

"""Checkpoints: a run that was killed resumes, with the same result."""

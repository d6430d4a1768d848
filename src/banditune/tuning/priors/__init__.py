"""Tuning together with what is expected of arms beforehand: prior means along lines, and Gaussian priors."""

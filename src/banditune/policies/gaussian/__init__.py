"""Policies with a Gaussian prior over arms that come back: GaussianUCB and GaussianTS."""

"""LinUCB: ridge regression, its sweep and its run."""

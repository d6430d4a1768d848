"""LinUCB and LinTS: ridge regression, its sweep and its run."""

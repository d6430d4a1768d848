"""GP-UCB, for arms that are points."""

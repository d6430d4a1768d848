"""GP-UCB: posteriors, and which point is chosen for every value of a range, with proof."""

"""The loss of UCB for every theta at a late round, found by walking along theta instead of playing every round."""

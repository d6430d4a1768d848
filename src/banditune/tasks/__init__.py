"""What happened: past bandit problems, as they were recorded."""

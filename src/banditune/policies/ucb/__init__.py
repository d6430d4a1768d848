"""UCB, and what it expects of arms."""

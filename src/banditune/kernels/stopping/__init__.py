"""When a test ends: a statistic of its leader, and the loss for every threshold of it."""

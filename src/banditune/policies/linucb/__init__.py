"""LinUCB, for contextual bandits."""

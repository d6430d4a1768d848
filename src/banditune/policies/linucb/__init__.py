"""LinUCB and LinTS, for contextual bandits."""

"""What was learned beside its rivals, on tasks it did not learn from."""

from banditune.comparing.comparison import Comparison, Standing
from banditune.comparing.contest import LEARNED, WITH_PRIORS, compare

__all__ = ["LEARNED", "WITH_PRIORS", "Comparison", "Standing", "compare"]

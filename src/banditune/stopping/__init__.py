"""When to stop a test: the threshold of a stopping rule, learned from past tests."""

from banditune.stopping.rule import StoppingRule as StoppingRule
from banditune.stopping.test_and_roll import find_test_size as find_test_size
from banditune.stopping.threshold import learn_threshold as learn_threshold

__all__ = ["StoppingRule", "find_test_size", "learn_threshold"]

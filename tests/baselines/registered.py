"""The baselines that the registry knows."""

from banditune.baselines import Baseline
from banditune.policies.registry import find_policies

BASELINES = [policy for policy in find_policies().values() if issubclass(policy, Baseline)]

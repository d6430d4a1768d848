"""The baselines that the registry knows."""

from banditune.baselines import Baseline
from banditune.policies.registry import registered_policies

BASELINES = [policy for policy in registered_policies().values() if issubclass(policy, Baseline)]

"""The policies that can be tuned: a file or folder each, on the contract of `base`, and found by name in `registry`."""

from banditune.policies.base import Policy
from banditune.policies.registry import names

__all__ = ["Policy", "names"]

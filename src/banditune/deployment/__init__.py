"""Policies in production: names of arms, late rewards in any order, state that many processes share.

A decision has a propensity, the probability with which its arm was chosen given all that was known: 1 for policies
that draw nothing; by their formulas for epsilon-greedy and softmax; for Thompson sampling of all kinds and Boltzmann-
Gumbel the share of `propensity_draws` draws that chose the same arm, the decision itself being one of them.
"""

from banditune.deployment.arms import ArmState
from banditune.deployment.creation import deploy, deployment_from_json, open_deployment
from banditune.deployment.deployment import Deployment
from banditune.deployment.events import Decision
from banditune.deployment.stores import open_store
from banditune.deployment.stores.base import Store
from banditune.deployment.stores.json_lines import JsonLinesStore
from banditune.deployment.stores.memory import MemoryStore
from banditune.deployment.stores.postgresql import PostgresqlStore
from banditune.deployment.stores.sqlite import SqliteStore
from banditune.errors import StoreError

__all__ = [
    "ArmState",
    "Decision",
    "Deployment",
    "JsonLinesStore",
    "MemoryStore",
    "PostgresqlStore",
    "SqliteStore",
    "Store",
    "StoreError",
    "deploy",
    "deployment_from_json",
    "open_deployment",
    "open_store",
]

"""Baselines: policies to compare with, which learn nothing from past tasks. All run online and in compiled runs."""

from banditune.baselines.base import Baseline
from banditune.baselines.corral import Corral, StochasticCorral, corral_entry
from banditune.baselines.ucb import CDT, GRID, UCB1, Syndicated
from banditune.baselines.weights import EXP3, TsallisINF
from banditune.policies.comparison_entries import Entry, entry

__all__ = [
    "CDT",
    "EXP3",
    "GRID",
    "UCB1",
    "Baseline",
    "Corral",
    "Entry",
    "StochasticCorral",
    "Syndicated",
    "TsallisINF",
    "corral_entry",
    "entry",
]

"""Baselines: policies to compare with, which learn nothing from past tasks. All run online and in compiled runs."""

from banditune.baselines.base import Baseline
from banditune.baselines.corral import Corral, StochasticCorral
from banditune.baselines.entries import Entry, corral_entry, entry
from banditune.baselines.indices import KLUCB, UCB1, UCBV, Moss, UCBTuned
from banditune.baselines.sampling import BetaThompson, EpsilonGreedy, ExploreThenCommit, GaussianThompson
from banditune.baselines.tuners import CDT, GRID, Syndicated
from banditune.baselines.weights import EXP3, TsallisINF

# every baseline with a rule of its own; `simulation.field` says what a comparison gives each of them to know
BASELINES: tuple[type[Baseline], ...] = (
    UCB1,
    UCBTuned,
    UCBV,
    KLUCB,
    Moss,
    BetaThompson,
    GaussianThompson,
    TsallisINF,
    EXP3,
    EpsilonGreedy,
    ExploreThenCommit,
    CDT,
    Syndicated,
)

__all__ = [
    "BASELINES",
    "CDT",
    "EXP3",
    "GRID",
    "KLUCB",
    "UCB1",
    "UCBV",
    "Baseline",
    "BetaThompson",
    "Corral",
    "Entry",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "GaussianThompson",
    "Moss",
    "StochasticCorral",
    "Syndicated",
    "TsallisINF",
    "UCBTuned",
    "corral_entry",
    "entry",
]

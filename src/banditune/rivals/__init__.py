"""Rivals: policies to compare with, which learn nothing from past tasks. All run online and in compiled games."""

from banditune.rivals.corral import Corral, StochasticCorral
from banditune.rivals.entries import Entry, corral_entry, entry
from banditune.rivals.indices import KLUCB, UCB1, UCBV, Moss, UCBTuned
from banditune.rivals.rival import Rival
from banditune.rivals.sampling import BetaThompson, EpsilonGreedy, ExploreThenCommit, GaussianThompson
from banditune.rivals.tuners import CDT, GRID, Syndicated
from banditune.rivals.weights import EXP3, TsallisINF

# in the order in which comparisons list them
RIVALS: tuple[type[Rival], ...] = (
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
    "CDT",
    "EXP3",
    "GRID",
    "KLUCB",
    "RIVALS",
    "UCB1",
    "UCBV",
    "BetaThompson",
    "Corral",
    "Entry",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "GaussianThompson",
    "Moss",
    "Rival",
    "StochasticCorral",
    "Syndicated",
    "TsallisINF",
    "UCBTuned",
    "corral_entry",
    "entry",
]

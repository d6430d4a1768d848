"""The runs of GP-UCB on one task for every value of one parameter, in pieces that are cut and merged round by round."""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.interruption import call_with_watch
from banditune.kernels.gp.choices import Found, choose
from banditune.kernels.gp.edges import middle
from banditune.kernels.gp.incremental_posterior import Reference, learn, refer
from banditune.kernels.gp.index import BONUS, Asked, noise_at
from banditune.kernels.gp.posterior import Evidence, Observed, Prior
from banditune.kernels.gp.run import observe_again, reward_of
from banditune.kernels.lines.feedback import IMMEDIATE, Feedback, count_known_after, find_owed_arm
from banditune.kernels.lines.index import TaskTables, loss_with, recommend_arm
from banditune.kernels.numerics.arrays import Floats

Pulls = tuple[int, ...]  # points, each as often as it was pulled; in their order, unless said otherwise
ROWS = 16  # observations that a reference may hold besides two of each point
T = TypeVar("T")


class Doubt(NamedTuple):
    """An interval in which another point may have been chosen, first in round t."""

    low: float
    high: float
    t: int


class Histories(NamedTuple, Generic[T]):
    """What the pulls of a piece showed: all of them, and those whose rewards are known; the same if that is at once."""

    pulled: T
    known: T


@dataclass(slots=True, eq=False)
class Piece:
    """An interval of the parameter from `left` on, all of whose runs have pulled the same points equally often."""

    left: float
    known: Pulls  # the pulls whose rewards are known
    pending: Pulls  # the others; if each is known by itself, in the order of the rounds
    observed: Histories[Observed]  # before the last pull
    references: Histories[Reference] | None  # likewise, at a value within the interval
    arm: int  # of the last pull; -1 before the first
    settled: Pulls  # whose rewards became known with it


class PointSweep:
    """The pieces of [low, high] after some rounds; what pulls show is read from sums (n, T + 1, 2) when needed."""

    def __init__(self, prior: Prior, sums: Floats, low: float, high: float, feedback: Feedback = IMMEDIATE) -> None:
        self._prior, self._sums, self._high, self._feedback = prior, sums, high, feedback
        nothing = Observed(np.empty(0, np.int64), np.empty(0), np.empty(0), np.empty(0))
        self._pieces = [Piece(low, (), (), Histories(nothing, nothing), None, -1, ())]
        self.n_cuts = self.n_proved = self._n_rounds = 0
        self.doubts: list[Doubt] = []

    @property
    def left(self) -> list[float]:
        """Where each piece begins."""
        return [piece.left for piece in self._pieces]

    def advance(self, index: Asked) -> None:
        """Play a round with this index: find the choice of every piece, cut it where that changes, merge neighbours."""
        pieces: list[Piece] = []
        self._n_rounds += 1
        for piece, end in zip(self._pieces, [*self.left[1:], self._high], strict=True):
            references = self._learn(piece, index, end)
            found = self._choose(piece, references, index, end)
            self.n_cuts += found.left.size - 1
            self.n_proved += found.n_proved
            self.doubts += [Doubt(low, high, self._n_rounds) for low, high in found.doubts.tolist()]
            edges = [*found.left.tolist(), end]
            for k, arm in enumerate(found.arm.tolist()):
                holds = index.free == BONUS or edges[k] <= references.known.value <= edges[k + 1]
                after = self._pull(piece, edges[k], references if holds else None, arm)
                if not pieces or (pieces[-1].known, pieces[-1].pending) != (after.known, after.pending):
                    pieces.append(after)
                elif pieces[-1].references is None:
                    pieces[-1] = replace(after, left=pieces[-1].left)
        self._pieces = pieces

    def _choose(self, piece: Piece, references: Histories[Reference], index: Asked, end: float) -> Found:
        """Find the choice of a piece: an arm that is owed the round, or that of the index."""
        late = self._feedback
        if late.burn_in > 0 or late.floor > 0.0:
            known = self._count(piece.known)[np.newaxis]
            owed = find_owed_arm(late, known + self._count(piece.pending), known, 0, False, self._n_rounds)
            if owed >= 0:
                return Found(np.array([piece.left]), np.array([owed]), 1, np.empty((0, 2)))
        is_late, observed = len(piece.pending) > 0 and late.counts_pending != 0, piece.observed
        evidence = Evidence(observed.known, observed.pulled if is_late else observed.known, is_late)
        where = references.known, references.pulled if is_late else references.known, piece.left, end
        found: Found = call_with_watch(choose, self._prior, evidence, index, *where)
        return found

    def _pull(self, piece: Piece, left: float, references: Histories[Reference] | None, arm: int) -> Piece:
        """Let runs of a piece pull an arm; some rewards may become known."""
        late, t = self._feedback, self._n_rounds
        n_settled, pending = count_known_after(late, t) - count_known_after(late, t - 1), (*piece.pending, arm)
        settled, waiting = pending[:n_settled], pending[n_settled:]
        waiting = waiting if late.delay > 0 else tuple(sorted(waiting))  # those of a batch become known together
        return Piece(left, tuple(sorted((*piece.known, *settled))), waiting, piece.observed, references, arm, settled)

    def _count(self, pulls: Pulls) -> NDArray[np.int64]:
        return np.bincount(np.array(pulls, np.int64), minlength=self._sums.shape[0])

    def counts(self) -> NDArray[np.int64]:
        """Return how often each piece has pulled each point: (pieces, n)."""
        return np.array([self._count((*each.known, *each.pending)) for each in self._pieces])

    def losses(self, tables: TaskTables, index: Asked) -> tuple[Floats, Floats]:
        """Return where each loss begins that runs have after these rounds, the last by this index, and how large it is.

        Where a point is recommended, the one with the highest posterior mean, pieces are cut where that changes.
        """
        by_mean = tables.after.rounds > 0.0 and not tables.after.by_pulls
        left, values = [], []
        for piece, counts, end in zip(self._pieces, self.counts(), [*self.left[1:], self._high], strict=True):
            if not by_mean:
                arm = recommend_arm(counts, tables.sums, True) if tables.after.rounds > 0.0 else 0
                left.append(piece.left)
                values.append(loss_with(counts, tables, arm))
                continue
            after = replace(piece)
            reference = self._learn(after, index, end).pulled
            evidence = Evidence(after.observed.pulled, after.observed.pulled, False)
            where = reference, reference, piece.left, end
            found = call_with_watch(choose, self._prior, evidence, index._replace(width=0.0), *where)
            self.n_proved += found.n_proved
            self.doubts += [Doubt(low, high, self._n_rounds) for low, high in found.doubts.tolist()]
            left += found.left.tolist()
            values += [loss_with(counts, tables, arm) for arm in found.arm.tolist()]
        return np.array(left), np.array(values)

    def _learn(self, piece: Piece, index: Asked, end: float) -> Histories[Reference]:
        """Take in what the last pull of a piece showed, and the rewards that became known with it."""
        before, references, sums = piece.observed, piece.references, self._sums
        if piece.arm >= 0:
            pulled = known = observe_again(before.pulled, piece.arm, sums)
            if self._feedback.is_late:
                known = reduce(lambda seen, arm: observe_again(seen, arm, sums), piece.settled, before.known)
            piece.observed = Histories(pulled, known)
        now = piece.observed
        if references is None or references.pulled.places.size > 2 * now.pulled.places.size + ROWS:
            value = middle(piece.left, end, index.free)
            found = refer(self._prior, now.pulled, value, noise_at(index, value))
            if not self._feedback.is_late:
                return Histories(found, found)
            return Histories(found, refer(self._prior, now.known, value, noise_at(index, value)))
        found = self._teach(references.pulled, before.pulled, (piece.arm,))
        if not self._feedback.is_late:
            return Histories(found, found)
        return Histories(found, self._teach(references.known, before.known, piece.settled))

    def _teach(self, reference: Reference, before: Observed, pulls: Pulls) -> Reference:
        """Let what is known at a value learn from some pulls, after what was observed before."""
        counts = dict(zip(before.places.tolist(), before.counts.astype(int).tolist(), strict=True))
        for arm in pulls:
            counts[arm] = counts.get(arm, 0) + 1
            reference = learn(self._prior, reference, arm, reward_of(self._sums, arm, counts[arm]))
        return reference

"""When rewards become known: in batches, or late; and the pulls that are owed to arms whatever the parameter.

A round chooses by the rewards that are known and, where pending pulls are counted, by all pulls so far: means go by
what is known, bonuses by what is counted. While an arm is without a known reward, or short of its burn-in, it goes
first: the one with the fewest pulls, the lowest numbered of several. So the first rounds are the same for all values of
the parameter. After them an arm that has less than its share goes first.
"""

from typing import NamedTuple

from banditune.kernels.jit import inline, integer, lean
from banditune.kernels.numerics.arrays import Integers


class Feedback(NamedTuple):
    """When rewards become known, and what arms are owed."""

    batch: int  # the rewards of so many rounds become known together; 1: each by itself
    delay: int  # they become known so many rounds later; 0: before the next round
    is_whole: int  # 1 if a batch goes to one arm, else 0
    counts_pending: int  # 1 if bonuses go by all pulls, 0 if by those whose rewards are known
    burn_in: int  # the pulls that each arm gets first, at least
    floor: float  # the share of the rounds that each arm gets, at least

    @property
    def is_late(self) -> bool:
        """Whether rounds are chosen before all rewards of earlier ones are known."""
        return self.batch > 1 or self.delay > 0


IMMEDIATE = Feedback(1, 0, 0, 1, 0, 0.0)


@inline
def is_immediate(feedback: Feedback) -> bool:
    """Tell whether every reward is known before the next round, and no arm is owed anything."""
    return feedback.batch == 1 and feedback.delay == 0 and feedback.burn_in == 0 and feedback.floor == 0.0


@inline
def count_known_after(feedback: Feedback | None, t: int) -> int:
    """Return how many of the first t rounds have rewards that are known to the next."""
    if feedback is None:
        return t
    return max(0, t - feedback.delay) // feedback.batch * feedback.batch


@inline
def find_batch_end(feedback: Feedback, t: int) -> int:
    """Return the last round of the batch that round t is of."""
    return ((t - 1) // feedback.batch + 1) * feedback.batch


@inline
def find_shown_round(feedback: Feedback | None, t: int) -> int:
    """Return the round whose growth and coins round t has: without coins, or for one arm, its batch's last."""
    if feedback is None or (feedback.is_whole == 0 and feedback.counts_pending == 0):
        return t
    return find_batch_end(feedback, t)


@lean
def find_owed_first(feedback: Feedback, counts: Integers, known: Integers, row: int, needs_each: bool) -> int:
    """Return the arm that goes first, without a known reward (if needed) or short of its burn-in; -1 if none."""
    pulls = known if feedback.is_whole != 0 else counts
    owed = integer(-1)
    for arm in range(counts.shape[1]):
        is_short = (needs_each and known[row, arm] == 0) or pulls[row, arm] < feedback.burn_in
        if is_short and (owed < 0 or pulls[row, arm] < pulls[row, owed]):
            owed = arm
    return owed


@lean
def find_owed_arm(feedback: Feedback, counts: Integers, known: Integers, row: int, needs_each: bool, t: int) -> int:
    """Return the arm that is owed round t by any of the two rules; -1 if none is."""
    owed = find_owed_first(feedback, counts, known, row, needs_each)
    return find_owed_share(feedback, counts, row, t) if owed < 0 and feedback.floor > 0.0 else owed


@lean
def find_owed_share(feedback: Feedback, counts: Integers, row: int, t: int) -> int:
    """Return the arm with the fewest pulls, if they are less than its share in round t; else -1."""
    least = integer(0)
    for arm in range(1, counts.shape[1]):
        if counts[row, arm] < counts[row, least]:
            least = arm
    return least if counts[row, least] < feedback.floor * t else integer(-1)

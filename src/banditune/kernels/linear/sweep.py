"""The exact loss of LinUCB for every alpha of a range.

Contexts differ from round to round, so two runs that ever chose differently never know the same again: nothing merges.
The range is therefore searched from left to right, one piece at a time. Where the choice changes within the piece, the
part right of there is set aside with what is known so far, and taken up again when the left part has been played out.
In a log, all runs that pass a round over stay one piece.

A choice that cannot be made with certainty ends the sweep, and its round is returned in place of an answer.
"""

import numpy as np

from banditune.kernels.jit import inline, integer, jit
from banditune.kernels.linear.index import Bounds, index_of, is_doubtful
from banditune.kernels.linear.layout import Shape, pad_contexts, place_of, shape_of, state_size
from banditune.kernels.linear.pending import (
    Pending,
    begin_run,
    copy_pending,
    count_states,
    enlarge_pending,
    expect_and_settle,
    make_pending,
)
from banditune.kernels.linear.range_parts import (
    Part,
    Pieces,
    empty_pieces,
    empty_shelf,
    larger_pieces,
    larger_shelf,
    put_aside,
    take_up,
)
from banditune.kernels.linear.regression import learn
from banditune.kernels.linear.run import ALL_KNOWN, PASSED, UNSURE, Rounds, is_certain
from banditune.kernels.linear.sampling import Sampler, set_sampled_lines
from banditune.kernels.lines.envelope import SLACK, Lines, compare, find_overtaking, leader_right_of
from banditune.kernels.lines.feedback import Feedback, find_owed_arm, find_shown_round, is_immediate
from banditune.kernels.numerics.arrays import Floats, Integers, enlarge
from banditune.kernels.watch import DONE, WHOLE, Watch, is_stopped

UNSETTLED = -2  # a choice that is yet to be found out
ALL_SURE = -1  # in place of the round with such a choice
LOOK_AFTER = 2**20  # numbers of regressions used, about: a few milliseconds


@jit
def choice_from(
    lines: Lines, errors: Bounds, doubtful: bool, logged: int, low: float, high: float
) -> tuple[int, float]:
    """Return what is chosen just right of low, and the float up to which it is; in a log, all that passes over is one.

    Where it is doubtful, the lines have bounds, and what they leave open is UNSURE.
    """
    arm = leader_right_of(lines, low, 1.0)
    if logged in (arm, ALL_KNOWN):
        edge, _ = find_overtaking(lines, arm, low, high, 1.0)
        if doubtful and not is_certain(lines, errors, arm, logged, low, edge):
            return UNSURE, edge
        return arm, edge
    while compare(lines, logged, arm, high, 1.0) > 0.0:  # else this arm stays above the logged one
        edge, by = find_overtaking(lines, arm, low, high, 1.0)
        if by == arm:
            break
        if doubtful and not is_certain(lines, errors, arm, logged, low, edge):
            return UNSURE, edge
        arm = leader_right_of(lines, edge, 1.0)
        if arm == logged:
            return PASSED, edge
        low = edge
    if doubtful and not is_certain(lines, errors, arm, logged, low, high):
        return UNSURE, high
    return PASSED, high


@inline
def foresee(
    logged: int,
    baseline: int,
    states: Floats,
    state: int,
    spreads: int,
    contexts: Floats,
    t: int,
    shape: Shape,
    low: float,
    high: float,
) -> tuple[int, int]:
    """Return the choice in an event from low to high where no call is close: logged, PASSED, or UNSETTLED.

    The baseline is looked at first, and the arm that was found above the logged one returned: it will be so again.
    """
    mean, spread = index_of(logged, states, state, spreads, contexts, t, shape)
    leads = True
    for k in range(-1, shape.n_arms):
        arm = baseline if k < 0 else k
        if arm != logged and (k < 0 or k != baseline):
            other_mean, other_spread = index_of(arm, states, state, spreads, contexts, t, shape)
            gap, tilt = mean - other_mean, spread - other_spread
            close = SLACK * (abs(mean) + abs(other_mean) + high * (spread + other_spread))
            left, right = gap + low * tilt, gap + high * tilt
            if left < -close and right < -close:
                return PASSED, arm
            leads = leads and left > close and right > close
    return (logged if leads else UNSETTLED), baseline


@jit
def play_until_cut(
    lines: Lines,
    errors: Bounds,
    states: Floats,
    pending: Pending,
    row: int,
    contexts: Floats,
    rounds: Rounds,
    shape: Shape,
    part: Part,
    until: int,
    baseline: int,
    scratch: Floats,
    sampler: Sampler,
    feedback: Feedback,
) -> tuple[Part, float, int]:
    """Play on a part of the range, whose run has that row, at most until a round, while it is one piece.

    Returns how far it has come, the edge at which it falls apart in the next round (its own end if it does not), and
    the arm to look at first; or UNSURE in place of that arm.
    """
    rewards, costs, logged = rounds.rewards, rounds.costs, rounds.logged
    low, high, t, counted, loss = part.low, part.high, part.round, part.counted, part.loss
    n_states = count_states(feedback)
    state, spreads = n_states * row, n_states * row + n_states - 1
    while t < until:
        arm = integer(UNSETTLED)
        if not is_immediate(feedback):
            owed = find_owed_arm(feedback, pending.counts, pending.known, row, False, counted + 1)
            if owed >= 0:
                arm = owed if logged[t] in (owed, ALL_KNOWN) else integer(PASSED)
        doubtful = is_doubtful(states, state, spreads, shape)
        if arm == UNSETTLED and sampler.sample.size == 0 and logged[t] != ALL_KNOWN and not doubtful:
            arm, baseline = foresee(logged[t], baseline, states, state, spreads, contexts, t, shape, low, high)
        if arm == UNSETTLED:
            before = find_shown_round(feedback, counted + 1) - 1
            set_sampled_lines(lines, errors, states, state, spreads, contexts, t, shape, sampler, before)
            arm, edge = choice_from(lines, errors, doubtful, logged[t], low, high)
            if arm == UNSURE:
                return Part(low, high, t, counted, loss), edge, UNSURE
            if edge < high:
                return Part(low, high, t, counted, loss), edge, baseline
        if arm != PASSED:
            column = place_of(arm, rewards.shape[1])
            if is_immediate(feedback):
                learn(states, state, arm, contexts, t, rewards[t, column], shape, scratch)
            else:
                expect_and_settle(states, pending, feedback, row, arm, contexts, t, rewards, shape, scratch)
            loss += costs[t, column]
            counted += 1
        t += 1
    return Part(low, high, t, counted, loss), high, baseline


@jit
def sweep_rounds(
    watch: Watch,
    rounds: Rounds,
    n_regressions: int,
    ridge: float,
    horizons: Integers,
    low: float,
    high: float,
    most_runs: int,
    sampler: Sampler,
    feedback: Feedback,
) -> tuple[Pieces, int, int]:
    """Return the loss for every alpha in [low, high] after each increasing horizon; and how many histories.

    Last comes the round of a choice that is UNSURE, which ends the sweep, or ALL_SURE.

    Of no more than `most_runs` runs the states are held: a part that is set aside when they are all in use is played
    from the first round when it is taken up.
    """
    shape = shape_of(rounds.n_arms, n_regressions, rounds.contexts.shape[1], rounds.contexts.shape[2])
    contexts, width = pad_contexts(rounds.contexts, shape), count_states(feedback) * state_size(shape)
    capacity = integer(8)
    states = np.empty(min(capacity, most_runs) * width)
    pending = make_pending(feedback, min(capacity, most_runs), rounds.n_arms, rounds.logged.size)
    shelf = empty_shelf(capacity)
    put_aside(shelf, 0, Part(low, high, 0, 0, 0.0), 0)
    pieces = empty_pieces(integer(64))
    lines, errors, scratch = np.empty((rounds.n_arms, 7)), np.empty((rounds.n_arms, 2)), np.empty(shape.size)
    n_parts, used, histories, baseline = integer(1), integer(0), integer(0), integer(0)
    between_looks = 1 + LOOK_AFTER // (rounds.n_arms * shape.size * shape.size)
    watch[WHOLE] = high - low
    while n_parts > 0 and not is_stopped(watch):
        n_parts -= 1
        part, row = take_up(shelf, n_parts)
        watch[DONE] = part.low - low
        if part.round == 0:
            begin_run(states, pending, feedback, row, shape, ridge)
        histories += 1
        k = integer(0)  # of the next horizon
        while horizons[k] <= part.round:
            k += 1
        while k < horizons.size and not is_stopped(watch):
            until = min(horizons[k], part.round + between_looks)
            part, edge, baseline = play_until_cut(
                lines,
                errors,
                states,
                pending,
                row,
                contexts,
                rounds,
                shape,
                part,
                until,
                baseline,
                scratch,
                sampler,
                feedback,
            )
            if baseline == UNSURE:
                return pieces, histories, part.round
            if edge < part.high:  # what is right of the edge is for later
                if n_parts == capacity:
                    capacity *= 2
                    shelf = larger_shelf(shelf, capacity)
                if row + 1 == most_runs:
                    put_aside(shelf, n_parts, Part(edge, part.high, 0, 0, 0.0), row)
                else:
                    put_aside(shelf, n_parts, Part(edge, part.high, part.round, part.counted, part.loss), row)
                    row += 1
                    if row * width == states.size:
                        states = enlarge(states, min(2 * states.size, most_runs * width))
                        pending = enlarge_pending(pending, states.size // width)
                    states[row * width : (row + 1) * width] = states[(row - 1) * width : row * width]
                    if not is_immediate(feedback):
                        copy_pending(pending, row - 1, row)
                n_parts += 1
                part = Part(part.low, edge, part.round, part.counted, part.loss)
            else:
                while k < horizons.size and horizons[k] == part.round:
                    if used == pieces.left.size:
                        pieces = larger_pieces(pieces, 2 * used)
                    pieces.left[used], pieces.loss[used] = part.low, part.loss
                    pieces.counted[used], pieces.horizon[used] = part.counted, k
                    used += 1
                    k += 1
    found = Pieces(
        pieces.left[:used].copy(), pieces.loss[:used].copy(), pieces.counted[:used].copy(), pieces.horizon[:used].copy()
    )
    return found, histories, integer(ALL_SURE)

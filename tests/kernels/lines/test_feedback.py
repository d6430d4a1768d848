"""Late rewards: the sweep against single runs, batches at once against round after round."""

import numba
import numpy as np
import pytest

from banditune.kernels.lines.batch import without_priors
from banditune.kernels.lines.bonus import NO_COIN, PRODUCT, ROOT, Bonus
from banditune.kernels.lines.bonus_run import play_lines
from banditune.kernels.lines.bonus_tables import LineBatch
from banditune.kernels.lines.feedback import (
    IMMEDIATE,
    Feedback,
    count_known_after,
    find_owed_first,
    find_owed_share,
    find_shown_round,
)
from banditune.kernels.lines.index import LOG
from banditune.kernels.lines.sweep import FIRST_ROOM, sweep_lines
from banditune.kernels.watch import new_watch
from tests.kernels.lines.test_bonus import PARTS, batch_of

UCB = Bonus(PRODUCT, ROOT, LOG, NO_COIN)
SIZES, MOST_PROBES = (((3, 18),), 10) if numba.config.DISABLE_JIT else (((2, 20), (4, 30)), 60)  # arms, rounds
FEEDBACKS = {
    "batches": Feedback(7, 0, 0, 1, 0, 0.0),
    "batches of some that draw": Feedback(5, 0, 0, 0, 0, 0.0),
    "whole batches": Feedback(3, 0, 1, 0, 0, 0.0),
    "delay": Feedback(1, 4, 0, 1, 0, 0.0),
    "delay, burn-in and floor": Feedback(1, 7, 0, 1, 2, 0.1),
    "batches with a floor": Feedback(6, 0, 0, 1, 0, 0.1),
}


@pytest.mark.parametrize("kind", FEEDBACKS)
@pytest.mark.parametrize("name", PARTS)
def test_sweep_and_runs_are_one_beside_every_edge(name: str, kind: str) -> None:
    for n_arms, rounds in SIZES:
        batch = batch_of(n_arms, PARTS[name], n_arms, rounds)._replace(feedback=FEEDBACKS[kind])
        high = 9.0 if name == "commit" else 2.0
        left, values, ends, _ = sweep_lines(new_watch(), batch, np.array([9, rounds]), 0.0, high)
        for first, last, horizon in ((0, ends[0, 0], 9), (ends[0, 0], ends[0, 1], rounds)):
            edges = np.append(left[first:last], high)
            probes = [*(0.5 * (edges[1:] + edges[:-1])), *edges[1:-1], *np.nextafter(edges[1:-1], 0.0)]
            for x in probes[:: 1 + len(probes) // MOST_PROBES]:
                piece = first + int(np.searchsorted(left[first:last], x, side="right")) - 1
                assert play_lines(new_watch(), batch, float(x))[2][horizon - 1] == values[piece]


@pytest.mark.parametrize("bonus", [UCB, PARTS["bernstein"], PARTS["capped"]], ids=["ucb", "bernstein", "capped"])
def test_batches_at_once_are_those_of_round_after_round(bonus: Bonus) -> None:
    batch = batch_of(3, bonus, 5, 100)._replace(feedback=Feedback(20, 0, 0, 1, 0, 0.0))
    at_once = sweep_lines(new_watch(), batch, np.array([30, 100]), 0.0, 2.0)
    assert at_once[0].size > 2 * FIRST_ROOM  # so that there was not room for all pieces
    owed_nothing = Feedback(20, 0, 0, 1, 0, 1e-300)  # a floor is looked at in every round
    slowly = sweep_lines(new_watch(), batch._replace(feedback=owed_nothing), np.array([30, 100]), 0.0, 2.0)
    for one, other in zip(at_once[:3], slowly[:3], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", PARTS)
def test_feedback_that_changes_nothing_changes_nothing(name: str) -> None:
    batch = batch_of(1, PARTS[name], 3, 25)
    plain = sweep_lines(new_watch(), batch, np.array([25]), 0.0, 2.0)
    prompt = sweep_lines(new_watch(), batch._replace(feedback=IMMEDIATE), np.array([25]), 0.0, 2.0)
    for one, other in zip(plain, prompt, strict=True):
        np.testing.assert_array_equal(one, other)


def test_rewards_become_known_at_the_end_of_a_batch_or_after_the_delay() -> None:
    assert [count_known_after(FEEDBACKS["batches"], t) for t in (0, 6, 7, 13, 14)] == [0, 0, 7, 7, 14]
    assert [count_known_after(FEEDBACKS["delay"], t) for t in (0, 4, 5, 9)] == [0, 0, 1, 5]
    assert [find_shown_round(FEEDBACKS["batches"], t) for t in (1, 7, 8)] == [7, 7, 14]
    assert [find_shown_round(FEEDBACKS["batches of some that draw"], t) for t in (1, 7, 8)] == [1, 7, 8]


def test_arms_that_are_owed_pulls_go_first() -> None:
    counts, known = np.array([[2, 1, 1]]), np.array([[1, 0, 0]])
    assert find_owed_first(FEEDBACKS["delay"], counts, known, 0, True) == 1  # of those without rewards, the lowest
    assert find_owed_first(FEEDBACKS["delay"], counts, known, 0, False) == -1
    assert find_owed_first(FEEDBACKS["delay, burn-in and floor"], counts, counts, 0, False) == 1
    assert find_owed_share(FEEDBACKS["batches with a floor"], np.array([[9, 2, 1]]), 0, 13) == 2
    assert find_owed_share(FEEDBACKS["batches with a floor"], np.array([[6, 3, 2]]), 0, 12) == -1


@pytest.mark.parametrize("bonus", [UCB, PARTS["posterior"]], ids=["ucb", "posterior"])
@pytest.mark.parametrize("kind", FEEDBACKS)
def test_tasks_with_fewer_and_more_arms_are_swept_together_as_alone(kind: str, bonus: Bonus) -> None:
    alone = [batch_of(n_arms, bonus, n_arms, 40)._replace(feedback=FEEDBACKS[kind]) for n_arms in (5, 2, 3)]
    streams = np.concatenate([each.tasks.streams for each in alone])
    gaps = np.concatenate([each.tasks.gaps for each in alone])
    tasks = without_priors(streams, gaps, np.array([0, 5, 7, 10]), 0.0)
    left, values, ends, _ = sweep_lines(
        new_watch(),
        LineBatch(tasks, bonus, np.concatenate([each.keys for each in alone]), FEEDBACKS[kind]),
        np.array([40]),
        0.0,
        2.0,
    )
    first = 0
    for each, last in zip(alone, ends[:, 0], strict=True):
        own_left, own_values, _, _ = sweep_lines(new_watch(), each, np.array([40]), 0.0, 2.0)
        np.testing.assert_array_equal(left[first:last], own_left)
        np.testing.assert_array_equal(values[first:last], own_values)
        first = last

"""Indices that are made of parts: decisions against exact fractions, the sweep against single runs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banditune.kernels.lines import bonus as parts
from banditune.kernels.lines.batch import without_priors
from banditune.kernels.lines.bonus import Bonus
from banditune.kernels.lines.bonus_run import play_lines
from banditune.kernels.lines.bonus_tables import LineBatch
from banditune.kernels.lines.envelope import PLAIN, find_overtaking, leader, leader_right_of
from banditune.kernels.lines.index import CONSTANT, LOG, REMAINING
from banditune.kernels.lines.kl_divergence import FAMILIES
from banditune.kernels.lines.sweep import sweep_lines
from banditune.kernels.watch import new_watch
from tests.strategies import share

PARTS = {
    "moss": Bonus(parts.PRODUCT, parts.MINIMAX, CONSTANT, parts.NO_COIN, 30.0),
    "normal": Bonus(parts.PRODUCT, parts.ROOT, REMAINING, parts.NORMAL, 30.0),
    "gumbel": Bonus(parts.PRODUCT, parts.ROOT, CONSTANT, parts.GUMBEL),
    "softmax": Bonus(parts.PRODUCT, parts.UNIT, parts.INVERSE_ROOT, parts.GUMBEL),
    "bernstein": Bonus(parts.BERNSTEIN, parts.ROOT, LOG, parts.NO_COIN, power=1.2, span=1.0),
    "capped": Bonus(parts.CAPPED, parts.ROOT, LOG, parts.NO_COIN, span=1.0),
    "posterior": Bonus(parts.POSTERIOR, parts.UNIT, CONSTANT, parts.NO_COIN, successes=0.5, failures=2.0),
    **{
        family: Bonus(parts.DIVERGENCE, number, parts.LOGARITHM, parts.NO_COIN)
        for number, family in enumerate(FAMILIES)
    },
    "explore": Bonus(parts.EXPLORE, parts.UNIT, parts.POWER, parts.NO_COIN, power=0.5),
    "commit": Bonus(parts.COMMIT, parts.UNIT, CONSTANT, parts.NO_COIN),
}


def batch_of(seed: int, bonus: Bonus, n_arms: int, rounds: int) -> LineBatch:
    streams = np.random.default_rng(seed).integers(0, 3, (n_arms, rounds)) / 3
    means = streams.mean(axis=1)
    tasks = without_priors(streams, means.max() - means, np.array([0, n_arms]), 0.0)
    return LineBatch(tasks, bonus, np.array([seed], np.uint64))


@pytest.mark.parametrize("name", PARTS)
def test_sweep_and_runs_are_one_beside_every_edge(name: str) -> None:
    for n_arms, rounds in ((1, 5), (2, 30), (4, 24)):
        batch, high = batch_of(n_arms, PARTS[name], n_arms, rounds), 9.0 if name == "commit" else 2.0
        left, values, ends, histories = sweep_lines(new_watch(), batch, np.array([3, rounds]), 0.0, high)
        assert histories[0] >= ends[0, 1] - ends[0, 0]
        for first, last, horizon in ((0, ends[0, 0], 3), (ends[0, 0], ends[0, 1], rounds)):
            edges = np.append(left[first:last], high)
            probes = [*(0.5 * (edges[1:] + edges[:-1])), *edges[1:-1], *np.nextafter(edges[1:-1], 0.0)]
            for x in probes:
                piece = first + int(np.searchsorted(left[first:last], x, side="right")) - 1
                assert play_lines(new_watch(), batch, float(x))[2][horizon - 1] == values[piece]


few = st.sampled_from([-1.5, -0.1, 0.0, 0.1, 0.3, 1.0])
slopes = st.one_of(few, st.floats(-3.0, 3.0).filter(lambda x: x == 0.0 or abs(x) > 1e-100))
totals = st.one_of(few, st.integers(-9, 9).map(lambda k: k / 7))


@share(50)
@given(st.lists(st.tuples(st.integers(1, 9), totals, slopes), min_size=1, max_size=5), st.floats(1e-9, 4.0))
def test_rising_and_falling_lines_are_compared_as_fractions_are(arms: list[tuple[int, float, float]], x: float) -> None:
    lines = np.empty((len(arms), PLAIN))
    for arm, (pulls, total, slope) in enumerate(arms):
        parts.set_bonus_line(lines, arm, float(pulls), total, 0.0, total / pulls, slope)

    def height(arm: int, at: float) -> Fraction:
        pulls, total, slope = arms[arm]
        return Fraction(total) / pulls + Fraction(at) * Fraction(slope)

    order = range(len(arms))
    assert leader(lines, x, 1.0) == min(order, key=lambda arm: (-height(arm, x), arm))
    right = leader_right_of(lines, x, 1.0)
    assert right == min(order, key=lambda arm: (-height(arm, x), -arms[arm][2], arm))
    edge, by = find_overtaking(lines, right, x, 5.0, 1.0)
    if edge < 5.0:
        assert height(by, edge) >= height(right, edge)
        before = float(np.nextafter(edge, 0.0))
        assert before <= x or all(height(arm, before) <= height(right, before) for arm in order)
    else:
        below = float(np.nextafter(5.0, 0.0))
        assert all(height(arm, below) <= height(right, below) for arm in order)


@given(st.floats(2.0**-53, 1.0 - 2.0**-53), st.integers(1, 10**6), st.sampled_from([0.0, 0.3, 1.0, 2.0]))
def test_exploration_begins_at_the_first_float_that_passes(u: float, t: int, power: float) -> None:
    growth = float(t) ** -power
    edge = parts.find_least_exploring(u, growth)
    assert edge * growth > u >= float(np.nextafter(edge, 0.0)) * growth


def test_variances_do_not_depend_on_the_order_of_rewards() -> None:
    rewards = [0.1, 0.2, 0.3, 0.7, 1e6 + 0.1]
    found = set()
    for first, second in product(range(5), repeat=2):
        shuffled = rewards.copy()
        shuffled[first], shuffled[second] = shuffled[second], shuffled[first]
        total, squares = (0.0, 0.0), (0.0, 0.0)
        for reward in shuffled:
            squares = parts.add_square(*squares, reward)
            total = _add(total, reward)
        found.add(parts.variance_of(5.0, *total, *squares))
    mean = sum(map(Fraction, rewards)) / 5
    exact = float(sum((Fraction(reward) - mean) ** 2 for reward in rewards) / 5)
    assert list(found) == [pytest.approx(exact, rel=1e-15)]
    assert parts.variance_of(3.0, 3 * 0.5, 0.0, 3 * 0.25, 0.0) == 0.0


def _add(total: tuple[float, float], reward: float) -> tuple[float, float]:
    whole = Fraction(total[0]) + Fraction(total[1]) + Fraction(reward)
    high = float(whole)
    return high, float(whole - Fraction(high))

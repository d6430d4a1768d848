"""docs/theory/errata.md, algorithms and formulas: each with examples in which the printed text is wrong.

What statements and proofs say too much or too little of is in tests/test_errata_statements.py.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest

import banditune as bt
from banditune.evaluation.impossibility import impossibility
from banditune.evaluation.sample_size import bound_excess_by_paper
from banditune.problems.paper import small_gap
from tests.naive.certificates import largest_signed_sum
from tests.naive.linucb import NaiveLinUCB
from tests.naive.ucb import naive_arms

Rewards = Sequence[Sequence[int]]
ERRATA = Path(__file__).parent.parent / "docs" / "theory" / "errata.md"
LOW, HIGH = 0.001, 2.0


@dataclass(frozen=True)
class CriticalPoints:
    """Algorithm 3 of the paper in 50 digits: corrected, or with one of its slips as it is printed."""

    divides_by: str = "log t"  # printed: "pulls"
    only_steeper: bool = True  # printed: False
    ends_when_one_runs_out: bool = False  # instead of after the last round; printed: True

    def of(self, rewards: Rewards, horizon: int) -> list[mpmath.mpf]:
        """The points from LOW to HIGH at which it says that the game changes."""
        found: set[mpmath.mpf] = set()
        self._search(rewards, horizon, mpmath.mpf(LOW), mpmath.mpf(HIGH), tuple(1 for _ in rewards), found)
        return sorted(found)

    def _log(self, pulls: int) -> mpmath.mpf:
        """What the bonus of the round after so many pulls grows with."""
        return {"log t": mpmath.log(pulls + 1), "log(t - 1)": mpmath.log(pulls), "pulls": mpmath.mpf(pulls)}[
            self.divides_by
        ]

    def _search(
        self,
        rewards: Rewards,
        horizon: int,
        low: mpmath.mpf,
        high: mpmath.mpf,
        counts: tuple[int, ...],
        found: set[mpmath.mpf],
    ) -> None:
        pulls = sum(counts)
        has_run_out = any(c == len(row) for c, row in zip(counts, rewards, strict=True))
        if has_run_out if self.ends_when_one_runs_out else pulls == horizon:
            return
        means = [mpmath.mpf(sum(row[:c])) / c for c, row in zip(counts, rewards, strict=True)]
        inside = low * (1 + mpmath.mpf("1e-30"))  # a little right of the low end, so that no tie decides
        index = [m + mpmath.sqrt(inside * self._log(pulls) / c) for m, c in zip(means, counts, strict=True)]
        leader = index.index(max(index))
        following = mpmath.inf
        for i, c in enumerate(counts):
            if c == counts[leader] or (self.only_steeper and c > counts[leader]):
                continue
            root = (means[leader] - means[i]) / (1 / mpmath.sqrt(c) - 1 / mpmath.sqrt(counts[leader]))
            point = root**2 / self._log(pulls)
            if point > inside:
                following = min(following, point)
        after = tuple(c + (i == leader) for i, c in enumerate(counts))
        self._search(rewards, horizon, low, min(following, high), after, found)
        if following < high:
            found.add(following)
            self._search(rewards, horizon, following, high, counts, found)


def changes(rewards: Rewards, horizon: int, point: mpmath.mpf) -> bool:
    """Whether the game differs a little to the left and a little to the right of a point."""
    left, right = (naive_arms(rewards, horizon, float(point) * (1 + side * 1e-9)) for side in (-1, 1))
    return left != right


def random_tasks(n_arms: int, length: int, number: int) -> list[list[list[int]]]:
    return np.random.default_rng(0).integers(0, 2, (number, n_arms, length)).tolist()


def regret(rewards: Rewards, arms: Sequence[int]) -> Fraction:
    means = [Fraction(sum(row), len(row)) for row in rewards]
    return sum((max(means) - means[arm] for arm in arms), Fraction(0))


@pytest.mark.parametrize("n_arms", [2, 3])
def test_corrected_algorithm_3_finds_all_changes_of_the_game_and_nothing_else(n_arms):
    for rewards in random_tasks(n_arms, 10, 15):
        points = CriticalPoints().of(rewards, 10)
        assert all(changes(rewards, 10, point) for point in points)
        for left, right in pairwise([mpmath.mpf(LOW), *points, mpmath.mpf(HIGH)]):
            quarter, half = (left + share * (right - left) for share in (0.25, 0.5))
            assert naive_arms(rewards, 10, float(quarter)) == naive_arms(rewards, 10, float(half))
        edges = bt.loss_curve(bt.UCB, bt.Task(rewards), horizon=10, alpha=(LOW, HIGH)).edges[1:-1]
        assert all(min(abs(point - edge) for point in points) < 1e-12 for edge in edges.tolist())


def test_erratum_1_the_points_are_divided_by_log_t_not_by_the_number_of_pulls():
    printed = CriticalPoints(divides_by="pulls")
    wrong = [not all(changes(rewards, 10, p) for p in printed.of(rewards, 10)) for rewards in random_tasks(2, 10, 15)]
    assert sum(wrong) >= 10


def test_erratum_2_only_arms_with_fewer_pulls_overtake_to_the_right():
    printed = CriticalPoints(only_steeper=False)
    wrong = [not all(changes(rewards, 10, p) for p in printed.of(rewards, 10)) for rewards in random_tasks(3, 10, 15)]
    assert sum(wrong) >= 5
    # round 7, an arm with 1 pull and the mean 0, another with 4 and 0.5: they cross at a positive root; right of it
    # the first leads, and the crossing lies behind
    crossing = 0.5 / (math.sqrt(math.log(7)) * (1 - 1 / 2))
    assert crossing == pytest.approx(0.717, abs=1e-3)
    for theta, leads in ((crossing - 0.01, 1), (crossing + 0.01, 0)):
        index = [0.0 + theta * math.sqrt(math.log(7)), 0.5 + theta * math.sqrt(math.log(7)) / 2]
        assert index.index(max(index)) == leads


def test_erratum_3_with_t_rewards_an_arm_the_recursion_stops_too_late_and_with_fewer_too_early():
    late = missed = 0
    for rewards in random_tasks(2, 8, 15):
        right = CriticalPoints().of(rewards, 8)
        # Algorithm 2 hands over T rewards of each arm: none runs out before round T
        printed = CriticalPoints(ends_when_one_runs_out=True).of(rewards, 8)
        assert set(right) <= set(printed)
        beyond = [point for point in printed if point not in right]
        assert not any(changes(rewards, 8, point) for point in beyond)
        late += len(beyond) > 0
        missed += len(CriticalPoints(ends_when_one_runs_out=True).of([rewards[0], rewards[1][:2]], 8)) < len(right)
    assert late >= 10
    assert missed >= 5
    with pytest.raises(bt.TaskError):  # that data end is said, or they are extended
        bt.loss_curve(bt.UCB, bt.Task([[1, 0, 1], [0]]), horizon=3, alpha=(0.0, 1.0), extend=False)


def test_erratum_4_algorithm_3_takes_the_log_of_another_round_than_algorithm_1():
    printed = CriticalPoints(divides_by="log(t - 1)")
    wrong = [not all(changes(rewards, 10, p) for p in printed.of(rewards, 10)) for rewards in random_tasks(2, 10, 15)]
    assert sum(wrong) >= 10


def arms_at(rewards: Rewards, horizon: int, alpha: mpmath.mpf) -> list[int]:
    """Algorithm 1 in 50 digits; indices that agree in 40 are a tie, which goes to the lowest arm."""
    counts, arms = [0] * len(rewards), []
    for t in range(1, horizon + 1):
        arm = t - 1
        if t > len(rewards):
            index = [
                mpmath.mpf(sum(row[:c])) / c + mpmath.sqrt(alpha * mpmath.log(t) / c)
                for row, c in zip(rewards, counts, strict=True)
            ]
            arm = next(i for i, each in enumerate(index) if max(index) - each < mpmath.mpf("1e-40"))
        counts[arm] += 1
        arms.append(arm)
    return arms


def test_erratum_5_the_least_loss_need_not_be_taken_at_any_critical_point():
    missed = 0
    for rewards in random_tasks(3, 10, 30):
        points = [*CriticalPoints().of(rewards, 10), mpmath.mpf(LOW), mpmath.mpf(HIGH)]
        at_points = min(regret(rewards, arms_at(rewards, 10, point)) for point in points)
        tuned = bt.tune(bt.UCB, [bt.Task(rewards)], horizon=10, alpha=(LOW, HIGH))
        assert float(regret(rewards, naive_arms(rewards, 10, tuned.alpha))) == pytest.approx(tuned.loss)
        assert float(at_points) >= tuned.loss - 1e-12
        missed += float(at_points) > tuned.loss + 1e-9
    assert missed >= 1


def test_erratum_6_the_update_is_an_outer_product_and_the_bonus_a_root():
    rng = np.random.default_rng(0)
    contexts, rewards = rng.normal(size=(6, 1, 3)), rng.normal(size=6)
    policy = bt.LinUCB(1, 3, alpha=1.0)
    naive = NaiveLinUCB(1, 1.0, ridge=1.0, disjoint=False)
    printed = np.eye(3)
    for x, reward in zip(contexts, rewards, strict=True):
        policy.update(0, reward, x)
        naive.learn(0, x[0], reward)
        printed = printed + x[0].T @ x[0]  # a number, added to every entry
    moments = np.eye(3) + sum(np.outer(x[0], x[0]) for x in contexts)
    assert not np.allclose(printed, moments)
    estimate = np.linalg.solve(moments, sum(r * x[0] for r, x in zip(rewards, contexts, strict=True)))
    probe = np.array([[0.3, -0.2, 0.9]])
    width = math.sqrt(probe[0] @ np.linalg.solve(moments, probe[0]))
    assert naive.indices(probe) == [pytest.approx(float(probe[0] @ estimate + width))]
    points = np.linspace(0.0, 1.0, 12)[:, None]
    task = bt.Task(np.sin(9 * points) + rng.normal(0, 0.3, (12, 15)), points=points)
    with_root, without = (
        bt.play(bt.GPUCB, task, horizon=15, noise=0.1, length_scale=0.2, beta=2.0, bonus=bonus).arms
        for bonus in ("std", "variance")
    )
    assert with_root.tolist() != without.tolist()


def test_erratum_7_bounds_on_the_number_of_pieces():
    for n_rounds, n in ((10, 2), (50, 3), (100, 5)):
        printed = (n_rounds - n) * (n_rounds - 1) ** (n - 1)
        assert printed > n_rounds ** (n - 1)
        assert printed <= n_rounds**n
    # LinUCB: after pulling all arms equally often, two values may still know different things
    rng = np.random.default_rng(1)
    contexts, rewards = rng.normal(size=(12, 3, 2)), rng.normal(size=(12, 3))
    task = bt.ContextualTask(contexts, rewards)
    known: dict[tuple[int, ...], set[tuple[float, ...]]] = {}
    for alpha in np.linspace(0.0, 2.0, 60):
        arms = bt.play(bt.LinUCB, task, horizon=12, alpha=float(alpha)).arms
        for t in range(1, 12):
            counts = tuple(np.bincount(arms[:t], minlength=3).tolist())
            seen = contexts[np.arange(t), arms[:t]]
            known.setdefault(counts, set()).add(tuple((seen.T @ seen).round(9).ravel().tolist()))
    assert max(len(moments) for moments in known.values()) > 1


def test_erratum_8_the_second_number_is_a_variance_by_notation_and_a_deviation_by_the_words():
    rates = {
        second: np.array([bandit.means[1] for bandit in small_gap(second).bandits(2_000)])
        for second in ("variance", "sd")
    }
    assert rates["variance"].std() == pytest.approx(0.1, rel=0.1)
    assert rates["sd"].std() == pytest.approx(0.01, rel=0.1)
    # "small gap": as a deviation the second arm is better in most tasks, as a variance hardly more often than not
    assert (rates["sd"] > 0.5).mean() > 0.8
    assert (rates["variance"] > 0.5).mean() < 0.6


def test_erratum_9_the_printed_deviation_is_enough_for_the_expected_complexity_up_to_a_half():
    for delta in (0.01, 0.1, 0.5, 0.9):
        two_sided = math.sqrt(math.log(2 / delta) / 2)  # McDiarmid, once for each side
        assert (math.sqrt(math.log(1 / delta)) >= two_sided) == (delta <= 0.5)


def test_erratum_9_the_empirical_complexity_falls_below_the_expected_one_about_half_of_the_time():
    rng = np.random.default_rng(0)

    def empirical() -> float:
        edges = np.sort(rng.random((8, 3)), axis=1)
        curves = [bt.StepFunction([0.0, *row, 1.0], rng.integers(0, 2, 4).astype(float)) for row in edges]
        signs = rng.choice([-1.0, 1.0], (20, 8))
        return float(np.mean([largest_signed_sum(curves, row.tolist(), 0.5) for row in signs])) / 8

    drawn = np.array([empirical() for _ in range(40)])
    below = (drawn < drawn.mean()).mean()
    assert 0.2 < below < 0.8  # so that it deviates has to be paid for, as 2 more terms of the size of the first
    assert drawn.std() > 0.0


def least_divergence(gap: float, variance: float, largest: float) -> float:
    """KL_inf of the model class by trying every variance up to the largest."""
    tried = np.linspace(1e-3, largest, 200_000) ** 2
    return float((0.5 * np.log(tried / variance) + (variance + gap**2) / (2 * tried) - 0.5).min())


def test_erratum_10_the_condition_is_on_the_square_of_b():
    gap, variance = 0.4, 0.09
    assert gap**2 + variance < 0.4  # the printed condition holds for B = 0.4, but B^2 = 0.16 < 0.25
    formula = 0.5 * math.log1p(gap**2 / variance)
    assert least_divergence(gap, variance, 0.4) > formula + 0.01
    assert least_divergence(gap, variance, 0.5) == pytest.approx(formula, abs=1e-6)
    assert impossibility([0.0, gap], [variance, variance]).online == pytest.approx(gap / formula)


@pytest.mark.parametrize("complexity", [1.0, 20.0, 1e6])
@pytest.mark.parametrize("delta", [0.001, 0.05, 0.4])
def test_erratum_11_two_deviations_are_needed_and_the_constant_has_room_for_both(complexity, delta):
    for n in (3, 10, 100, 10**6):
        uniform = 2 * math.sqrt(math.log(n * complexity) / (2 * n)) + 3 * math.sqrt(math.log(4 / delta) / (2 * n))
        comparator = math.sqrt(math.log(2 / delta) / (2 * n))
        assert min(uniform + comparator, 1.0) <= bound_excess_by_paper(n, delta, complexity)


def test_erratum_12_the_pieces_of_the_loss_may_be_fewer_than_the_games():
    rewards = np.random.default_rng(0).integers(0, 2, (2, 40)).astype(float)
    asked = [iter(row) for row in rewards.tolist()]
    collected = bt.collect(
        bt.UCB, lambda arm: next(asked[arm]), n_arms=2, horizon=40, alpha=(0.0, 1.0), means=[0.5, 0.5]
    )
    assert bt.loss_curve(bt.UCB, collected, horizon=40, alpha=(0.0, 1.0)).n_pieces == 1
    assert bt.loss_curve(bt.UCB, collected, horizon=40, alpha=(0.0, 1.0), loss="reward").n_pieces > 1
    assert collected.total_pulls > 1 * 40  # all of them are needed for the games that differ


def test_every_erratum_has_its_test():
    listed = re.findall(r"^## (\d+)\. ", ERRATA.read_text(encoding="utf-8"), re.MULTILINE)
    names = ("test_errata.py", "test_errata_statements.py")
    texts = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names]
    tested = {number for text in texts for number in re.findall(r"^def test_erratum_(\d+)_", text, re.MULTILINE)}
    assert listed == [str(number) for number in range(1, len(listed) + 1)]
    assert set(listed) == tested

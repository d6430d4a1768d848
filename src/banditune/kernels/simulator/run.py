"""Runs of policies, with the rewards drawn as they are needed."""

import numpy as np

from banditune.kernels.jit import integer, jit
from banditune.kernels.lines.index import bonus_growth
from banditune.kernels.lines.run import recommend, record
from banditune.kernels.numerics.arrays import Floats, Integers
from banditune.kernels.numerics.counter_random import uniform
from banditune.kernels.numerics.double_double import add, two_product
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.corral_rules import PASSED, corral_learn
from banditune.kernels.simulator.rewards import Source, reward_at
from banditune.kernels.simulator.rules import UCB, choose, learn
from banditune.kernels.simulator.state import CorralState, State, draw_row, scale_reward
from banditune.kernels.simulator.ucb_rule import certain_choice, learn_ucb
from banditune.kernels.watch import Watch, is_stopped

LOOK_AFTER = 2**12  # rounds


@jit
def play_alone(watch: Watch, state: State, growth: Floats, source: Source, rounds: Integers, pulls: Integers) -> None:
    """Play a rule (see `rules`) on arms (see `reward_at`), and fill the pulls (c, n) after each of rounds (c,).

    What UCB's floats settle is settled within the loop: a call would take longer than the round. `growth` tables
    how the bonus grows in rounds 0, 1, ..., as far as it reaches.
    """
    kind, arms, own, table, key = state
    kinds, numbers, keys, recorded, starts = source
    counts = np.zeros(arms.shape[0], np.int64)
    before, arm = int(own[at.ROUNDS]), integer(0)
    done = 0
    for check in range(rounds.size):
        while done < rounds[check] and not is_stopped(watch):
            until = min(rounds[check], done + LOOK_AFTER)
            for t in range(before + done, before + until):
                leads = integer(-1)
                if kind == UCB:
                    if t + 1 < growth.size:
                        unit = growth[t + 1]
                    else:
                        unit = bonus_growth(int(own[at.SCHEDULE]), own[at.HORIZON], t + 1.0)
                    leads = certain_choice(arms, own, own[at.THETA] * unit)
                # mostly it is the arm of the round before; a processor that guesses so need not wait
                if leads != arm:
                    arm = leads if leads >= 0 else choose(kind, arms, own, table, key)
                reward = reward_at(arm, counts[arm], kinds, numbers, keys, recorded, starts)
                if kind == UCB:
                    learn_ucb(arms, own, arm, scale_reward(own, reward))
                else:
                    learn(kind, arms, own, table, key, arm, reward)
                counts[arm] += 1
            done = until
        pulls[check] = counts


@jit
def play_corral(watch: Watch, corral: CorralState, source: Source, rounds: Integers, pulls: Integers) -> None:
    """Play a corral whose M bases are rules.

    With `importance` every base sees the reward over its probability, or 0 if it was not followed; else the one
    followed sees the reward. With `restarts` a base starts afresh when its limit is passed.
    """
    kind, importance, restarts, rows, own, key, base_kinds, base_arms, base_own, base_tables, base_keys = corral
    kinds, numbers, keys, recorded, starts = source
    counts = np.zeros(base_arms.shape[1], np.int64)
    fresh_arms, fresh_own, fresh_tables = base_arms.copy(), base_own.copy(), base_tables.copy()
    passed = rows[:, PASSED].copy()
    t = 0
    for check in range(rounds.size):
        while t < rounds[check] and not is_stopped(watch):
            drawn = draw_row(rows, integer(at.CHANCE), uniform(key, int(own[at.ROUNDS])))
            base = base_kinds[drawn], base_arms[drawn], base_own[drawn], base_tables[drawn], base_keys[drawn]
            arm = choose(*base)
            reward = reward_at(arm, counts[arm], kinds, numbers, keys, recorded, starts)
            value = scale_reward(own, reward)
            seen = value / rows[drawn, at.CHANCE] if importance else reward
            learn(*base, arm, seen)
            for k in range(rows.shape[0] if importance else 0):
                if k != drawn:
                    base = base_kinds[k], base_arms[k], base_own[k], base_tables[k], base_keys[k]
                    learn(*base, choose(*base), 0.0)
            corral_learn(kind, rows, own, drawn, 1.0 - value)
            for k in range(rows.shape[0]):
                if restarts and rows[k, PASSED] > passed[k]:
                    passed[k] = rows[k, PASSED]
                    base_arms[k] = fresh_arms[k]
                    base_own[k] = fresh_own[k]
                    base_tables[k] = fresh_tables[k]
            counts[arm] += 1
            t += 1
        pulls[check] = counts


@jit
def regrets(pulls: Integers, gaps: Floats, lost: Floats) -> None:
    """Fill what pulls (c, n) of arms cost, `gaps` (n,) each: lost (c,), rounded once."""
    for check in range(pulls.shape[0]):
        high = low = 0.0
        for arm in range(gaps.size):
            cost, cost_low = two_product(float(pulls[check, arm]), gaps[arm])
            high, low = add(high, low, cost, cost_low)
        lost[check] = high + 0.0


@jit
def recommend_at_checks(pulls: Integers, by_pulls: bool, source: Source, recommended: Integers) -> None:
    """Fill (c,) with the arm that is recommended after pulls (c, n) of the arms."""
    kinds, numbers, keys, recorded, starts = source
    n_arms = pulls.shape[1]
    counts, sums = np.zeros(n_arms, np.int64), np.zeros((n_arms, 2))
    for check in range(pulls.shape[0]):
        for arm in range(n_arms):
            while counts[arm] < pulls[check, arm]:
                record(counts, sums, arm, reward_at(arm, counts[arm], kinds, numbers, keys, recorded, starts))
        recommended[check] = recommend(counts, sums, by_pulls)

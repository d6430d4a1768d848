"""Policies that one sweep tunes: does the curve agree with single runs, how many pieces are there, what do they cost?

`python -m benchmarks.policies` probes every policy at, beside and between edges, counts pieces, and sets the time of
sweeps beside UCB's for as many pieces. `--before DIR` times UCB's sweep with another checkout's source, too, in turns.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.curves.curve_set import CurveSet
from banditune.policies.base import Policy
from banditune.policies.batches import Terms
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.linucb.policy import LinearPolicy
from banditune.policies.losses import LOSSES, Loss, choose_loss
from banditune.policies.parameters import Parameter
from banditune.policies.registry import find_tunable_policies
from banditune.policies.settings import find_parameter, list_defaults
from banditune.policies.ucb.sweep import least_squares_of
from banditune.policies.ucb.ucb import UCB
from banditune.rng import generator
from banditune.tasks.base import PastTask
from banditune.tasks.contextual import ContextualTask
from banditune.tasks.logged import LoggedTask
from banditune.tasks.task import Task
from benchmarks.walk_agreement import draw_rewards

KINDS = ("clicks", "Bernoulli", "tenths", "Gaussian", "ties", "constants")
RATES = ("clicks", "Bernoulli", "tenths", "ties", "constants")  # from 0 to 1
BEFORE = """
import time, numpy as np
from banditune.kernels.lines.batch import without_priors
from banditune.kernels.lines.sweep import sweep_batch
from banditune.kernels.watch import new_watch
random = np.random.default_rng(0)
batches = []
for n, T in ((2, 4000), (5, 2000), (20, 500)):
    streams = (random.random((n, T)) < random.random((n, 1))).astype(float)
    means = streams.mean(axis=1)
    batches.append(without_priors(streams, means.max() - means, np.array([0, n]), 0.0))
for batch in batches:
    sweep_batch(new_watch(), batch, np.array([10]), 0.0, 1.0)
best = []
for batch in batches:
    times = []
    for _ in range(15):
        begin = time.thread_time()
        sweep_batch(new_watch(), batch, np.array([batch.streams.shape[1]]), 0.0, 1.0)
        times.append(time.thread_time() - begin)
    best.append(min(times))
print(*best)
"""


def list_policies() -> dict[str, type[Policy[Any]]]:
    """The policies that the sweep of lines serves, UCB first, and those that go by contexts."""
    served = (LinePolicy, LinearPolicy)
    return {"ucb": UCB, **{name: each for name, each in find_tunable_policies().items() if issubclass(each, served)}}


def first_parameter(policy: type[Policy[Any]]) -> str:
    """The name of the parameter that is searched."""
    return next(name for name, known in policy.parameters.items() if isinstance(known, Parameter))


def sweep(
    policy: type[Policy[Any]],
    task: PastTask,
    horizon: int,
    high: float,
    fixed: dict[str, Any],
    loss: Loss = LOSSES["regret"],
) -> CurveSet:
    """The curve of a task for values up to `high`."""
    name, terms = first_parameter(policy), Terms(horizon, loss, 0, True, fixed)
    low = policy.range_for(name, 1.0)[0]
    return policy.sweep(policy.make_batch([task], terms), [horizon], name, low, high, fixed).losses[0]


def draw_settings(policy: type[Policy[Any]], random: np.random.Generator) -> dict[str, Any]:
    """The settings that are not searched, some of them not the usual ones."""
    fixed = list_defaults(policy)
    several = {"decay": [0.0, 0.5, 1.0], "schedule": getattr(policy.parameters.get("schedule"), "choices", ())}
    several["family"] = getattr(policy.parameters.get("family"), "choices", ())
    several["disjoint"] = [False, True]
    chosen = {name: values[random.integers(len(values))] for name, values in several.items() if name in fixed}
    return fixed | chosen


def probe(
    policy: type[Policy[Any]],
    n_probes: int,
    seed: int,
    draw: Callable[[type[Policy[Any]], np.random.Generator], dict[str, Any]] = draw_settings,
) -> tuple[int, int]:
    """How many probes of random tasks were made, and how many of them found the run and the curve to differ.

    `draw` draws the settings that are not searched.
    """
    name, made, wrong, number = first_parameter(policy), 0, 0, 0
    known = find_parameter(policy, name)
    while made < n_probes:
        random, number = generator(seed, "policies", policy.name, number), number + 1
        n_arms, horizon = int(random.integers(1, 9)), int(np.exp(random.uniform(np.log(5), np.log(300))))
        task = draw_task(policy, n_arms, horizon, random)
        fixed = draw(policy, random)
        high = policy.range_for(name, 1.0)[1] * float(random.choice([0.1, 0.5, 1.0]))
        if policy.contextual:
            high *= 0.5
        if name == "pulls":
            high = 2.0 + horizon / n_arms
        loss = LOSSES["reward"] if task.is_log else draw_loss(policy, random)
        curve = sweep(policy, task, horizon, high, fixed, loss)[0]
        batch = policy.make_batch([task], Terms(horizon, loss, 0, True, fixed))
        may_tie = fixed.get("schedule") == "constant" and policy is UCB  # several of its lines at a float
        for value in choose_values(curve.edges, may_tie, random).tolist():
            lost = policy.run(batch, {**fixed, name: known.as_run(value)}).loss
            made, wrong = made + 1, wrong + int(lost != curve(value))
            if made == n_probes:
                break
    return made, wrong


def draw_task(policy: type[Policy[Any]], n_arms: int, horizon: int, random: np.random.Generator) -> PastTask:
    """A random task that a policy runs on; every second one is a log, if it can be replayed."""
    if policy.contextual:
        contexts = random.normal(size=(horizon, n_arms, int(random.integers(1, 6))))
        rewards = contexts @ random.normal(size=contexts.shape[2]) + random.normal(size=(horizon, n_arms))
        if LoggedTask in policy.task_types and n_arms > 1 and random.integers(2):
            arms = random.integers(n_arms, size=horizon)
            arms[:2] = (0, n_arms - 1)
            return LoggedTask(contexts, arms, rewards[np.arange(horizon), arms].round(1))
        return ContextualTask(contexts, rewards.round(1))
    kind = str(random.choice(RATES if policy.name in ("klucb", "betathompson") else KINDS))
    return Task(draw_rewards(kind, n_arms, horizon, random))


def draw_loss(policy: type[Policy[Any]], random: np.random.Generator) -> Loss:
    """A loss that the policy can be tuned for."""
    after = [] if policy.contextual else [("simple", None, "mean"), ("rollout", 999, "mean"), ("rollout", 5, "pulls")]
    losses = [LOSSES["regret"], LOSSES["reward"], *(choose_loss(*each) for each in after)]
    return losses[int(random.integers(len(losses)))]


def choose_values(edges: NDArray[np.float64], may_tie: bool, random: np.random.Generator) -> NDArray[np.float64]:
    """Values inside pieces, at some edges, where the curve has the value to the right, and beside them.

    Where lines may tie at a float, those of its values of alpha that have the same rounded root are left out.
    """
    some = edges[1:-1][random.permutation(max(0, edges.size - 2))[:30]]
    right = least_squares_of(np.nextafter(np.sqrt(some), np.inf)) if may_tie else np.nextafter(some, np.inf)
    beside = np.concatenate(
        [some[: 0 if may_tie else some.size], np.nextafter(some, -np.inf), right[right < edges[-1]]]
    )
    middles = 0.5 * (edges[1:] + edges[:-1])
    return np.concatenate([beside[beside > edges[0]], middles[random.permutation(middles.size)[:30]]])


def count_pieces(policy: type[Policy[Any]], n_arms: int, horizon: int, n_tasks: int) -> float:
    """The mean number of pieces over the default range on Bernoulli arms with uniform rates."""
    high = policy.range_for(first_parameter(policy), 1.0)[1]
    tasks = draw_tasks(n_arms, horizon, n_tasks)
    return float(np.mean([sweep(policy, task, horizon, high, list_defaults(policy)).n_pieces for task in tasks]))


def draw_tasks(n_arms: int, horizon: int, n_tasks: int) -> list[Task]:
    """Bernoulli arms with uniform rates."""
    return [Task(draw_rewards("Bernoulli", n_arms, horizon, generator(k, "pieces", n_arms))) for k in range(n_tasks)]


def time_like_ucb(policy: type[Policy[Any]], n_arms: int, horizon: int) -> tuple[float, float, int, int]:
    """How many times UCB's time a policy's sweeps take, over a range with as many pieces in the end.

    Also how many times as many pieces it has on the way, on average over the rounds; and both numbers in the end.
    """
    tasks = draw_tasks(n_arms, horizon, 8)
    name, terms = first_parameter(policy), Terms(horizon, LOSSES["regret"], 0, True, {})

    def sweeps(of: type[Policy[Any]], which: str, high: float, looks: int = 1) -> Callable[[], int]:
        own = list_defaults(of)
        batch = of.make_batch(tasks, terms._replace(settings=own))
        low, rounds = of.range_for(which, 1.0)[0], [horizon * (k + 1) // looks for k in range(looks)]
        return lambda: sum(int(found.n_pieces.sum()) for found in of.sweep(batch, rounds, which, low, high, own).losses)

    batch = UCB.make_batch(tasks, terms._replace(settings=list_defaults(UCB)))

    def ucb() -> Any:  # by its sweep, also where a walk would take less time
        return UCB.count_histories(batch, horizon, "alpha", 0.0, 1.0, {})

    wanted, low, high = sweeps(UCB, "alpha", 1.0)(), 1e-4, 1e3 if name == "pulls" else 64.0
    for _ in range(12):  # the range with as many pieces
        middle = (low * high) ** 0.5
        low, high = (middle, high) if sweeps(policy, name, middle)() < wanted else (low, middle)
    mine, best = sweeps(policy, name, high), [np.inf, np.inf]
    for _ in range(9):
        for k, work in enumerate((ucb, mine)):
            begin = time.thread_time()
            work()
            best[k] = min(best[k], time.thread_time() - begin)
    on_the_way = sweeps(policy, name, high, 20)() / sweeps(UCB, "alpha", 1.0, 20)()
    return best[1] / best[0], on_the_way, wanted, mine()


def time_before(folder: str) -> list[float]:
    """How many times the time of UCB's sweep in another checkout it takes here, for three sizes of tasks."""
    sources = [os.path.join(folder, "src"), os.path.join(os.path.dirname(__file__), "..", "src")]
    best = [np.full(3, np.inf), np.full(3, np.inf)]
    for _ in range(6):  # in turns
        for k, source in enumerate(sources):
            shown = subprocess.check_output([sys.executable, "-c", BEFORE], env=os.environ | {"PYTHONPATH": source})
            best[k] = np.minimum(best[k], [float(each) for each in shown.split()])
    return [float(each) for each in best[1] / best[0]]


def main() -> None:
    """Print a row for each policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--policy", action="append", help="only these")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--before", metavar="DIR", help="another checkout, whose sweep of UCB is timed as well")
    asked = parser.parse_args()
    if asked.before:
        print("UCB's sweep, times the time before:", *(f"{each:.3f}" for each in time_before(asked.before)), flush=True)
    heads = "policy", "probes", "mismatches", "pieces, 2 arms", "pieces, 10 arms"
    print("|", " | ".join([*heads, "time, times UCB's", "pieces on the way", "in the end"]), "|")
    print("|---|---|---|---|---|---|---|---|")
    for name, policy in list_policies().items():
        if asked.policy and name not in asked.policy:
            continue
        made, wrong = probe(policy, asked.probes, asked.seed)
        row = [name, f"{made:,}", f"{wrong}"]
        if not policy.contextual:
            row += [f"{count_pieces(policy, n_arms, 1000, 10):.0f}" for n_arms in (2, 10)]
        if not asked.no_times and name != "ucb" and not policy.contextual:
            ratio, on_the_way, theirs, ours = time_like_ucb(policy, 5, 1000)
            row += [f"{ratio:.2f}", f"{on_the_way:.2f}", f"{ours} beside {theirs}"]
        print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()

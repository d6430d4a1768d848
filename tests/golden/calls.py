"""The Python calls whose answers are recorded: public names only, small tasks, fixed seeds."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import banditune as bt


def tasks(n: int = 12) -> list[bt.Task]:
    """Bernoulli tasks of three arms with names."""
    rng = np.random.default_rng(1)
    return [
        bt.Task((rng.random((3, 80)) < rng.random((3, 1))).astype(float), arms=["a", "b", "c"], limits=(0.0, 1.0))
        for _ in range(n)
    ]


def short_tasks() -> list[bt.Task]:
    """Tasks of tenths, with fewer rewards than the rounds that are played."""
    rng = np.random.default_rng(2)
    return [bt.Task([rng.integers(0, 11, size) / 10 for size in (7, 11, 13)], name=f"t{k}") for k in range(8)]


def contextual_tasks() -> list[bt.ContextualTask]:
    """Tasks of two arms with three features an arm."""
    rng = np.random.default_rng(3)
    return [bt.ContextualTask(rng.normal(size=(60, 2, 3)), rng.random((60, 2))) for _ in range(3)]


def logged_task() -> bt.LoggedTask:
    """A log of arms chosen at random, with a shared context."""
    rng = np.random.default_rng(4)
    return bt.LoggedTask(rng.normal(size=(300, 3)), rng.integers(0, 3, 300), rng.random(300))


def point_tasks() -> list[bt.Task]:
    """Tasks of sixteen points on a grid."""
    rng = np.random.default_rng(5)
    grid = np.array([[x, y] for x in np.linspace(0, 1, 4) for y in np.linspace(0, 1, 4)])
    level = np.sin(4 * grid[:, :1]) + grid[:, 1:]
    return [bt.Task(level + 0.3 * rng.normal(size=(16, 4)), points=grid) for _ in range(2)]


def _curve(curve: Any) -> dict[str, Any]:
    return {"edges": curve.edges, "values": curve.values}


def _tuned(tuned: Any) -> dict[str, Any]:
    return {
        "params": tuned.params,
        "interval": list(tuned.interval),
        "loss": tuned.loss,
        "complexity": tuned.complexity,
        "n_tasks": tuned.n_tasks,
        "horizon": tuned.horizon,
        "curve": _curve(tuned.curve),
    }


def ucb_curves() -> Any:
    return [_curve(each) for each in bt.loss_curve(bt.UCB, tasks()[0], horizon=[10, 50, 80], alpha=(0.0, 4.0))]


def ucb_reward_curve() -> Any:
    return _curve(bt.loss_curve(bt.UCB, short_tasks()[0], horizon=60, alpha=(0.0, 2.0), loss="reward", seed=3))


def ucb_prior_curve() -> Any:
    how: dict[str, Any] = {"prior_means": [0.5, 0.6, 0.7], "prior_weight": 2.0}
    return _curve(bt.loss_curve(bt.UCB, tasks()[1], horizon=80, alpha=(0.0, 1.0), **how))


def linucb_curves() -> Any:
    shared = bt.loss_curve(bt.LinUCB, contextual_tasks()[0], horizon=60, alpha=(0.0, 2.0))
    disjoint = bt.loss_curve(bt.LinUCB, contextual_tasks()[1], horizon=60, alpha=(0.0, 2.0), disjoint=True)
    return [_curve(shared), _curve(disjoint)]


def replayed_curve() -> Any:
    return _curve(bt.loss_curve(bt.LinUCB, logged_task(), horizon=300, alpha=(0.0, 2.0), loss="reward", disjoint=True))


def gpucb_curves() -> Any:
    noise = bt.loss_curve(bt.GPUCB, point_tasks()[0], horizon=8, noise=(1e-3, 10.0), length_scale=0.5)
    beta = bt.loss_curve(bt.GPUCB, point_tasks()[0], horizon=8, beta=(0.01, 2.0), length_scale=0.5)
    return [_curve(noise), _curve(beta)]


def runs() -> Any:
    played = [
        bt.play(bt.UCB, tasks()[2], horizon=80, alpha=0.1),
        bt.play(bt.UCB, short_tasks()[2], horizon=80, alpha=0.1, seed=5),
        bt.play(bt.LinUCB, contextual_tasks()[2], horizon=60, alpha=0.4),
        bt.play(bt.GPUCB, point_tasks()[1], horizon=8, noise=0.1, length_scale=0.5),
    ]
    return [{"arms": each.arms, "rewards": each.rewards, "regret": each.regret} for each in played]


def tuned_ucb() -> Any:
    return _tuned(bt.tune(bt.UCB, tasks(), horizon=80, alpha=(0.0, 4.0)))


def tuned_short() -> Any:
    return _tuned(bt.tune(bt.UCB, short_tasks(), horizon=100, alpha=(0.0, 4.0), seed=7))


def tuned_linucb() -> Any:
    return _tuned(bt.tune(bt.LinUCB, contextual_tasks(), horizon=60, alpha=(0.0, 2.0), ridge=[0.5, 2.0]))


def tuned_gpucb() -> Any:
    ranges: dict[str, Any] = {"noise": (1e-3, 10.0), "beta": (0.01, 2.0)}
    return _tuned(bt.tune(bt.GPUCB, point_tasks(), horizon=6, length_scale=0.5, **ranges))


def tuned_priors() -> Any:
    return _tuned(bt.tune(bt.UCB, tasks(10), horizon=20, alpha=(0.0, 1.0), prior_means=(0.0, 1.0)))


def certificates() -> Any:
    tuned = bt.tune(bt.UCB, tasks(40), horizon=60, alpha=(0.0, 4.0))
    found = {}
    for method in ("compression", "rademacher", "massart", "paper", "holdout", "best"):
        each = tuned.certificate(delta=0.1, bound=60.0, method=method)
        found[method] = [each.loss_bound, each.excess_bound]
    return found


def sizes() -> Any:
    curves = [bt.loss_curve(bt.UCB, task, horizon=50, alpha=(0.0, 4.0)) for task in tasks()]
    q = bt.dual_complexity(curves)
    n = bt.sample_size(epsilon=0.1, delta=0.05, complexity=30, bound=1.0)
    return {"complexity": [q.mean, q.low, q.high], "sample_size": n}


def collected() -> Any:
    streams = tasks()[3].rewards
    pulls = [0, 0, 0]

    def pull(arm: int) -> float:
        pulls[arm] += 1
        return float(streams[arm][pulls[arm] - 1])

    task = bt.collect(bt.UCB, pull, n_arms=3, horizon=60, alpha=(0.0, 1.0))
    return {"pulls": pulls, "total": task.total_pulls, "rewards": [list(row) for row in task.rewards]}


def corral() -> Any:
    rng = np.random.default_rng(6)
    found = []
    for kind in (bt.Corral, bt.StochasticCorral):
        policy = kind([bt.UCB(2, alpha=alpha) for alpha in (0.01, 0.1, 1.0)], 200, seed=3)
        arms = []
        for _ in range(200):
            arms.append(policy.select())
            policy.update(arms[-1], float(rng.random() < (0.3, 0.6)[arms[-1]]))
        found.append(np.array(arms))
    return found


def saved_policies() -> Any:
    policies: list[Any] = [bt.UCB(3, alpha=0.1), bt.LinUCB(2, 3, alpha=0.4), bt.GPUCB([[0.0], [0.5], [1.0]])]
    context = [[1.0, 0.5, 0.0], [0.0, 0.25, 1.0]]
    found = []
    for policy in policies:
        seen = (context,) if policy.name == "linucb" else ()
        for reward in (0.25, 0.75, 0.5):
            policy.update(policy.select(*seen), reward, *seen)
        text = policy.to_json()
        found.append([json.loads(text), bt.policy_from_json(text).select(*seen)])
    return found


CALLS: dict[str, Callable[[], Any]] = {
    each.__name__: each
    for each in (
        ucb_curves,
        ucb_reward_curve,
        ucb_prior_curve,
        linucb_curves,
        replayed_curve,
        gpucb_curves,
        runs,
        tuned_ucb,
        tuned_short,
        tuned_linucb,
        tuned_gpucb,
        tuned_priors,
        certificates,
        sizes,
        collected,
        corral,
        saved_policies,
    )
}

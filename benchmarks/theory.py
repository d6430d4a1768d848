"""What theory says of tasks before there are any, beside what tasks show: python -m benchmarks.theory

For several kinds of tasks: how many pieces a loss has at most, by the paper's proofs and by ours, how many it has on
average (Q_D), and how many tasks guarantee a loss within a tenth of its largest, with probability 0.95, from each.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import banditune as bt
from banditune.evaluation.complexity import pseudo_dimension_of_pieces, pseudo_dimension_with_priors

EPSILON = 0.1
HEADS = ("tasks", "pieces: the paper", "here", "measured", "enough tasks: a priori", "measured")


@dataclass(frozen=True, slots=True)
class Kind:
    """Tasks of one size, and the range that is searched on them."""

    name: str
    policy: type[Any]
    size: dict[str, Any]  # as `bt.dual_complexity_bound` takes it
    tasks: Callable[[int], Sequence[Any]]  # so many of them
    asked: dict[str, Any]  # of `bt.loss_curve`


def contextual_tasks(n_tasks: int) -> list[bt.ContextualTask]:
    """Three arms, three features, 50 rounds."""
    found = []
    for k in range(n_tasks):
        rng = np.random.default_rng(k)
        contexts, weights = rng.normal(size=(50, 3, 3)), rng.normal(size=3)
        found.append(bt.ContextualTask(contexts, contexts @ weights + rng.normal(size=(50, 3))))
    return found


KINDS = (
    Kind(
        "UCB, 2 Bernoulli arms, 100 rounds",
        bt.UCB,
        {"horizon": 100, "n_arms": 2, "n_values": 2},
        lambda n: bt.problems.named("B(0.1)").sample(n, 100),
        {"alpha": (0.0, 4.0)},
    ),
    Kind(
        "UCB, 2 Gaussian arms, 100 rounds",
        bt.UCB,
        {"horizon": 100, "n_arms": 2},
        lambda n: bt.problems.named("G(0.3)").sample(n, 100),
        {"alpha": (0.0, 4.0)},
    ),
    Kind(
        "UCB, 10 Bernoulli arms, 1,000 rounds",
        bt.UCB,
        {"horizon": 1000, "n_arms": 10, "n_values": 2},
        lambda n: bt.problems.bernoulli(10).sample(n, 1000),
        {"alpha": (0.0, 4.0)},
    ),
    *(
        Kind(
            f"{policy.__name__}, 10 Bernoulli arms, 100 rounds",
            policy,
            {"horizon": 100, "n_arms": 10},
            lambda n: bt.problems.bernoulli(10).sample(n, 100),
            {"theta": (0.0, 3.0), "prior_mean": 0.5, "prior_cov": 1 / 12, "noise": 1 / 6},  # as rates and clicks vary
        )
        for policy in (bt.GaussianUCB, bt.GaussianTS)
    ),
    Kind(
        "LinUCB, 3 arms, 50 rounds",
        bt.LinUCB,
        {"horizon": 50, "n_arms": 3},
        contextual_tasks,
        {"alpha": (0.0, 4.0)},
    ),
    Kind(
        "GP-UCB's noise, 576 points, 10 rounds",
        bt.GPUCB,
        {"horizon": 10, "n_arms": 576},
        lambda n: bt.problems.on_grid("waves", noise=0.1).sample(n, 10),
        {"noise": (1e-4, 10.0), "loss": "reward"},
    ),
)


def describe(number: float) -> str:
    """A number, or its power of ten."""
    if number < 10**7:
        return f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"
    digits = len(str(int(number))) - 1
    return f"10^{digits}"


def row_of(kind: Kind, n_tasks: int) -> list[str]:
    """A row of the table."""
    bound = bt.dual_complexity_bound(kind.policy, **kind.size)
    horizon = kind.size["horizon"]
    curves = [bt.loss_curve(kind.policy, task, horizon=horizon, **kind.asked) for task in kind.tasks(n_tasks)]
    measured = bt.dual_complexity(curves).mean
    sizes = [
        f"{bt.sample_size(epsilon=EPSILON, complexity=complexity, method='compression'):,}"
        for complexity in (bound.pieces, measured)
    ]
    return [kind.name, describe(bound.paper), describe(bound.pieces), describe(measured), *sizes]


class Dimension(NamedTuple):
    """A pseudo-dimension: what the paper has within its O(...), and ours with all constants."""

    name: str
    paper: float
    dimension: int


def list_dimensions() -> Iterator[Dimension]:
    """Alpha and the prior means of all arms (Theorem 7.4), and GP-UCB's noise (8.1)."""
    for n_arms, horizon in ((2, 100), (20, 100), (10, 1000)):
        predicates = math.log(4 * horizon**3 * n_arms**horizon)
        name = f"alpha and priors, {n_arms} arms, {horizon:,} rounds"
        yield Dimension(name, (n_arms + 1 + horizon) * predicates, pseudo_dimension_with_priors(n_arms, horizon))
    bound = bt.dual_complexity_bound(bt.GPUCB, horizon=10, n_arms=576)
    yield Dimension(
        "GP-UCB's noise, 576 points, 10 rounds", math.log(bound.paper), pseudo_dimension_of_pieces(bound.pieces)
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=50, help="of each kind")
    n_tasks = parser.parse_args().tasks
    print(f"| {' | '.join(HEADS)} |")
    print(f"|{'---|' * len(HEADS)}")
    for kind in KINDS:
        print(f"| {' | '.join(row_of(kind, n_tasks))} |", flush=True)
    print()
    print("| method | Q = 30 | Q = 4,852 |")
    print("|---|---|---|")
    for method in ("paper", "massart", "chaining", "compression"):
        sizes = [bt.sample_size(epsilon=EPSILON, complexity=q, method=method) for q in (30, 4852)]
        print(f"| `{method}` | {sizes[0]:,} | {sizes[1]:,} |")
    print()
    print("| learned together, or by Theorem 8.1 | pseudo-dimension: the paper, in O(...) | here | enough tasks |")
    print("|---|---|---|---|")
    for row in list_dimensions():
        size = bt.sample_size(epsilon=EPSILON, dimension=row.dimension, method="pseudo-dimension")
        print(f"| {row.name} | {row.paper:,.0f} | {row.dimension:,} | {size:,} |")


if __name__ == "__main__":
    main()

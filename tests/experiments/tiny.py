"""Every experiment with settings so small that it takes moments, and a made one that counts what it does."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from banditune.experiments.catalogue import EXPERIMENTS
from banditune.experiments.machinery.claims import Claim, judge
from banditune.experiments.machinery.experiment import Arrays, Experiment, Findings, Results, Unit
from banditune.rng import generator


def tiny(name: str) -> Any:
    """The quick settings of an experiment, made tiny."""
    quick = EXPERIMENTS[name].quick
    if name.startswith("corral"):
        arenas = tuple(
            replace(arena, rounds=300, longer=40, checked=tuple(sorted({min(t, 300) for t in arena.checked})))
            for arena in quick.arenas
        )
        return replace(
            quick, arenas=arenas, n_training=6, n_longer=4, a_unit=2, n_true=3, a_decade=1, n_test=3, n_further=12
        )
    changes: Mapping[str, Mapping[str, Any]] = {
        "table-qd": {"n_tasks": 6, "a_unit": 3, "horizon": 30},
        "alpha-mixture": {"n_tasks": 6, "a_unit": 3, "horizon": 30},
        "alpha-curves": {"n_tasks": 6, "a_unit": 3},
        "sample-complexity": {"sizes": (1, 5, 8), "n_sets": 4, "a_unit": 2, "n_many": 20, "many_a_unit": 10},
        "gp-noise": {
            "readings": quick.readings[:1] if name == "gp-noise" else (),
            "n_tasks": 2,
            "a_unit": 1,
            "horizon": 4,
        },
        "impossibility": {"rounds": 200, "slope_from": 50, "n_games": 4, "a_unit": 2},
    }
    return replace(quick, **changes[name])


@dataclass(frozen=True)
class Made:
    """The settings of the made experiment."""

    parts: tuple[str, ...] = ("a", "b", "c", "d")
    size: int = 3


@dataclass(frozen=True)
class MadeFindings(Findings):
    """What it finds."""

    sums: Mapping[str, float]


class Diary:
    """What was done, and what must not be."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.forbidden: set[str] = set()
        self._lock = threading.Lock()

    def note(self, part: str) -> None:
        with self._lock:
            self.done.append(part)
        if part in self.forbidden:
            raise RuntimeError(f"{part} fails")


DIARY = Diary()


def drawn(*, seed: int, part: str, size: int) -> Arrays:
    """Random numbers that depend on the seed and the part."""
    DIARY.note(part)
    return {"numbers": generator(seed, part).random(size)}


def made_units(settings: Made) -> Sequence[Unit]:
    return [Unit(f"part-{part}", drawn, {"part": part, "size": settings.size}) for part in settings.parts]


def made_findings(settings: Made, results: Results) -> MadeFindings:
    sums = {name: float(np.sum(arrays["numbers"])) for name, arrays in results.items()}
    claim = Claim("a | b", "paper", f"{len(sums)} parts", judge(len(sums) == len(settings.parts)), "all are there")
    return MadeFindings((claim,), ("read so",), sums)


def made_figure(found: MadeFindings) -> Any:
    from banditune.experiments.machinery.figures import panels

    figure, (axes,) = panels(1, 1, size=(3, 2))
    axes.plot(list(found.sums.values()))
    return figure


MADE: Experiment[Made, MadeFindings] = Experiment(
    "made", "A made experiment", "nowhere", Made(), Made(size=2), made_units, made_findings, made_figure
)

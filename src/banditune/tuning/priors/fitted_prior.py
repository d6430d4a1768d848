"""What fitting a Gaussian prior to past tasks found out: the structures compared, and what is said of arms."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from banditune.tuning.results.details import PriorDetail


@dataclass(frozen=True, slots=True)
class FittedStructure:
    """One structure of a prior with the noise and theta that go best with it, and how it does.

    Attributes
    ----------
    name : str
        "alpha alone" where nothing is expected of arms, else the structure.
    noise_factor : float
        What the noise is multiplied by.
    theta : float
        The best theta.
    loss : float
        The mean loss there; of each task with a prior that was fitted without it.
    held_out, error : float
        The mean loss where theta and the noise were chosen on other tasks, too, and its standard error; nan if there
        were too few tasks.
    """

    name: str
    noise_factor: float
    theta: float
    loss: float
    held_out: float
    error: float


@dataclass(frozen=True, slots=True)
class FittedArm:
    """What was learned of an arm.

    Attributes
    ----------
    arm : Hashable
        Its name.
    mean, sd : float
        What it is expected to give in a new task, and how far from that it usually is.
    observed : float
        Its mean reward over the tasks that have it.
    n_tasks : int
        How many these are.
    """

    arm: Hashable
    mean: float
    sd: float
    observed: float
    n_tasks: int


@dataclass(frozen=True, slots=True, repr=False)
class FittedPrior(PriorDetail):
    """How a Gaussian prior was chosen: the structures that were compared, and what the chosen one says of each arm.

    Attributes
    ----------
    candidates : tuple of FittedStructure
        What was compared, "alpha alone" first.
    chosen : str
        The name of one of them.
    arms : tuple of FittedArm
        What is expected of each arm; empty where all arms are taken for alike.
    n_folds : int
        The folds; each was swept with a prior fitted to the others.
    noise : float
        The variance of a reward around its arm's mean, as the tasks have it.
    alpha : float
        UCB's, where nothing is expected of arms.
    """

    make_candidate = FittedStructure
    make_arm = FittedArm

    candidates: tuple[FittedStructure, ...]
    chosen: str
    arms: tuple[FittedArm, ...]
    n_folds: int
    noise: float
    alpha: float

    @property
    def helps(self) -> bool:
        """Whether a prior was chosen."""
        return self.chosen != ALONE

    def __str__(self) -> str:
        chosen, alone = (next(each for each in self.candidates if each.name == name) for name in (self.chosen, ALONE))
        if not self.helps:
            return f"no prior helps on held-out tasks: alpha alone, {self.alpha:.4g}"
        return (
            f"{self.chosen} prior: mean loss {chosen.held_out:.4g} on held-out tasks, alpha alone {alone.held_out:.4g}"
        )

    @classmethod
    def is_saved_as(cls, saved: Mapping[str, Any]) -> bool:
        """Tell whether it wrote what is saved under its name."""
        return "noise" in saved


ALONE = "alpha alone"

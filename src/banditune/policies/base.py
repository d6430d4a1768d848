"""The contract of every policy: what any other part asks of one is a member here, with a default where it can have one.

`OnlinePolicy` is what runs; a `Policy` can also be tuned on past tasks: a class gets tuned by adding what that takes.
One that is made outside the package subclasses either of them, and is found by its name once it is declared under the
entry-point group `banditune.policies`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from banditune.curves.display import list_names
from banditune.errors import ParameterError
from banditune.kernels.simulator.state import CorralState, State
from banditune.policies.batches import Terms
from banditune.policies.exports import Export
from banditune.policies.parameters import Parameter, Setting
from banditune.policies.piece_bounds import ComplexityBound, TaskSize
from banditune.policies.sweep_results import LazySweep, Run, Swept
from banditune.tasks.task import Task
from banditune.tasks.units import UNNAMED, Units

_FOR_USERS = {"n_arms", "means", "name", "index", "parameters", "select", "update", "expect", "forget", "to_json"}
BatchT = TypeVar("BatchT")  # some tasks as the kernels of a policy take them


class Bundled(NamedTuple):
    """Tasks that come with banditune, to try a policy on."""

    load: Callable[[], Sequence[Any]]
    horizon: int
    description: str
    units: Units = UNNAMED
    draws: int | None = None  # of each task, so that the answer comes quickly; None: as many as it takes


class RewardScale(NamedTuple):
    """What a comparison lets policies know of the rewards of all its tasks."""

    bounds: tuple[float, float]
    sd: float  # of a reward around its arm's mean


class OnlinePolicy(ABC):
    """A policy that runs: `select` an arm, `update` with what it gave."""

    n_arms: int  # how many there are
    name: ClassVar[str]  # that it is found by: in files and on the command line
    label: ClassVar[str]  # what it is called in text; by default as its class
    knowledge: ClassVar[str]  # what it needs to know beforehand, for comparisons
    needs_horizon: ClassVar[bool] = False
    can_be_tuned: ClassVar[bool] = False
    task_types: ClassVar[tuple[type, ...]] = (Task,)  # the kinds of tasks it runs on
    needs: ClassVar[tuple[str, ...]] = ("n_arms",)  # of a new task: that or "arms" (names or a number), "dim", "points"
    contextual: ClassVar[bool] = False  # whether it chooses by contexts
    is_randomised: ClassVar[bool] = False  # whether its choices are drawn, by `seed`: then losses are means over draws
    per_arm: ClassVar[tuple[str, ...]] = ()  # its arrays with a row for each arm, if they hold all it has learned

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.label = vars(cls).get("label", cls.__name__)

    @abstractmethod
    def select(self, *contexts: Any, **named: Any) -> int:
        """Return the arm to choose next, by the contexts if there are any. Nothing changes."""

    @abstractmethod
    def update(self, *learned: Any, **named: Any) -> None:
        """Learn what an arm gave: (arm, reward), and the contexts if there are any."""

    def expect(self, *pulled: Any, **named: Any) -> None:
        """Count a pull whose reward is still to come, (arm) and the contexts if there are any; `update` settles it.

        Some policies count none.
        """
        return

    def forget(self, *pulled: Any, **named: Any) -> None:
        """Give up a pull whose reward will not come: (arm), and the contexts if there are any."""
        return

    @abstractmethod
    def to_json(self) -> str:
        """Return the policy with all it has learned, as text."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "OnlinePolicy":
        """Make the policy from what `to_json` wrote."""
        raise ParameterError(f"{cls.__name__} has no `from_state`: it cannot be restored")

    def adopt(self, other: Any, arms: Sequence[int | None]) -> None:
        """Take over what another policy of this kind has learned: arm k was its arm arms[k]; None for a new one."""
        if not self.per_arm:
            raise ParameterError(f"{type(self).__name__} has no `adopt`: arms cannot join or leave while it runs")
        for name in self.per_arm:
            ours, theirs = getattr(self, name), getattr(other, name)
            for arm, before in enumerate(arms):
                if before is not None:
                    ours[arm] = theirs[before]

    def add_totals(self, arm: Any, pulls: int, total: float, squares: float | None = None) -> None:
        """Learn from many pulls of an arm at once: the sum of their rewards, and that of their squares."""
        raise ParameterError(f"{type(self).__name__} cannot learn from totals: it needs the single rewards")

    def choice_probabilities(self, *contexts: Any) -> NDArray[np.float64] | None:
        """Return how likely each arm is to be chosen next, over what the policy draws; None if there is no formula."""
        if self.is_randomised:
            return None
        chosen = self.select(*contexts)
        return np.array([float(arm == chosen) for arm in getattr(self, "arms", range(self.n_arms))])

    def count_choices(self, arm: Any, seeds: NDArray[np.uint64], *contexts: Any) -> int:
        """Count with how many of some random seeds this arm would be chosen next, by a policy that draws."""
        own, same = self.seed, 0  # type: ignore[has-type]
        try:
            for seed in seeds.tolist():
                self.seed = seed
                same += int(self.select(*contexts) == arm)
        finally:
            self.seed = own
        return same

    def simulator_state(self) -> State | CorralState | None:
        """Return the state from which the compiled simulator goes on; None if only `select` and `update` can."""
        return None

    @classmethod
    def start(cls, n_arms: int, *, horizon: int, seed: int, **settings: Any) -> "OnlinePolicy":
        """Make the policy for a new run; a horizon and a seed are there for those that need them."""
        told = {"horizon": horizon} if cls.uses_horizon(settings) else {}
        told |= {"seed": seed} if cls.is_randomised else {}
        return cls(n_arms, **told | settings)  # type: ignore[call-arg]

    @classmethod
    def uses_horizon(cls, settings: Mapping[str, Any]) -> bool:
        """Tell whether it is told the horizon, with these settings: then runs of other horizons differ throughout."""
        return cls.needs_horizon

    @classmethod
    def runs_on_rewards(cls) -> bool:
        """Tell whether it needs no more than the rewards of some arms."""
        return Task in cls.task_types and tuple(cls.needs) == ("n_arms",)

    @classmethod
    def chooses_by_rewards(cls) -> bool:
        """Tell whether it needs no more than the rewards of some arms, and their names."""
        return Task in cls.task_types and tuple(cls.needs) in (("n_arms",), ("arms",))

    @classmethod
    def list_settings(cls, scale: RewardScale) -> dict[str, dict[str, Any]]:
        """Return the settings that others are compared with, by what the policy is called with them."""
        return {cls.label: {}}


class Policy(OnlinePolicy, Generic[BatchT]):
    """A policy that can be tuned: its parameters, and the exact loss of past tasks for every value of one of them."""

    def __dir__(self) -> list[str]:
        kinds = (kind for kind in type(self).__mro__ if kind.__module__.startswith("banditune."))
        ours = {name for kind in kinds for name in (*vars(kind), *vars(kind).get("__annotations__", ()))}
        return list_names(self, ours - _FOR_USERS - self.parameters.keys() - {*self.shown})

    parameters: ClassVar[Mapping[str, Setting]]
    can_be_tuned: ClassVar[bool] = True
    index: ClassVar[str]  # the formula by which it chooses, in plain text
    shown: ClassVar[tuple[str, ...]] = ()  # what users may ask of it besides what all policies have, for `dir`
    recommends: ClassVar[bool] = False  # whether losses count the arm used after a run, as those of `score_run` do
    merges: ClassVar[bool] = True  # whether its sweep joins runs that have come to the same state
    chunk: ClassVar[int] = 2**15  # how many rewards the tasks have, at least, that a worker is handed at once
    most_draws: ClassVar[int] = 20  # for a task whose order or length is not recorded, where no number is given
    cheap_draws: ClassVar[int] = 20  # the same, where tasks are few and short
    usual_settings: ClassVar[Mapping[str, object]] = {}  # of the command line: what fits data of any kind
    usual_rounds: ClassVar[int | None] = None  # at most, where no horizon is given; None: as many as are recorded
    bundled: ClassVar[Mapping[str, Bundled]] = {}  # by name; the first is what is taken where none is named
    exports: ClassVar[Mapping[str, Export]] = {}  # by library
    slowness: ClassVar[float] = 1.0  # how many times as long as UCB's its sweep takes, about
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # further settings to compare, by what is added to `label`
    priors: ClassVar[tuple[str, ...]] = ()  # the settings that are learned for every arm: its prior mean, their weight

    @classmethod
    @abstractmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> BatchT:
        """Lay out tasks as `run` and `sweep` take them, for `terms.horizon` rounds, however many are recorded."""

    @classmethod
    @abstractmethod
    def run(cls, batch: BatchT, values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch, with a value for every parameter."""

    @classmethod
    @abstractmethod
    def sweep(
        cls, batch: BatchT, horizons: Sequence[int], parameter: str, low: float, high: float, fixed: Mapping[str, Any]
    ) -> Swept:
        """Compute the exact losses of the tasks for every value of a parameter, after each increasing horizon.

        `fixed` holds a value for every other parameter.
        """

    @classmethod
    def count_histories(
        cls, batch: BatchT, horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
    ) -> NDArray[np.int64] | None:
        """Count the distinct runs of each task over the range, where `sweep` does not: (tasks,); None if nobody can."""
        return None

    @classmethod
    @abstractmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return a range to search that fits tasks of such a spread."""

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        """Return the largest spread of a task, where the range to search follows from it."""
        return 0.0

    @classmethod
    def default_range(cls, parameter: str, tasks: Iterable[Any]) -> tuple[float, float]:
        """Return a range to search that fits the scale of the tasks' rewards."""
        return cls.range_for(parameter, cls.spread(tasks))

    @classmethod
    def adapt_range(cls, limits: tuple[float, float], settings: Mapping[str, Any], horizon: int) -> tuple[float, float]:
        """Return what the range to search comes to with some settings, in runs of so many rounds."""
        return limits

    @classmethod
    def sweep_lazily(
        cls, batch: BatchT, horizon: int, parameter: str, low: float, high: float, fixed: Mapping[str, Any]
    ) -> LazySweep:
        """Begin a sweep of the one task of a batch whose rewards become known on the way."""
        raise ParameterError(
            "rewards can be collected for policies that use each arm's own rewards, as bt.UCB and bt.GPUCB do; "
            f"{cls.__name__} has no `sweep_lazily`"
        )

    with_priors: ClassVar[str | None] = None  # the name of the policy like it that fits a prior of arms to past tasks
    fitted_schedule: ClassVar[str]  # of one that fits priors: that it does so with, where none is given

    @classmethod
    def fits_prior(cls, given: Mapping[str, Any]) -> bool:
        """Tell whether parameters ask for a Gaussian prior fitted to past tasks: `tuning.priors.cross_fitting`."""
        return False

    @classmethod
    def searches_priors(cls, given: Mapping[str, Any]) -> bool:
        """Tell whether parameters ask to search prior means together with the parameter: `tuning.priors.joint`."""
        return False

    @classmethod
    def settings_for(cls, scale: RewardScale) -> dict[str, Any]:
        """Return the settings that say what rewards are like, such as their bounds, if it has any."""
        return {}

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Bound the number of pieces of any task's loss over a parameter; `settings` are those that differ."""
        raise ParameterError(f"no bound on the number of pieces is known for {parameter} of {cls.__name__}")

    @classmethod
    def check_settings(cls, given: Mapping[str, Any]) -> None:
        """Reject settings that do not go together; each of them alone is checked by its own kind."""

    @classmethod
    def find_searched_parameter(cls) -> Parameter:
        """Return the parameter that can be searched, or the first of several."""
        return next(known for known in cls.parameters.values() if isinstance(known, Parameter))

    @property
    def _searched_value(self) -> float:
        """The value of that parameter."""
        return float(getattr(self, self.find_searched_parameter().name))

    @classmethod
    def list_settings(cls, scale: RewardScale) -> dict[str, dict[str, Any]]:
        """Return the usual values of the first parameter that can be searched."""
        searched = cls.find_searched_parameter()
        return {f"{cls.label}, {searched.name}={value:g}": {searched.name: value} for value in searched.usual}

    @classmethod
    def describe_index(cls, params: Mapping[str, Any]) -> str:
        """Return the formula by which it chooses with these parameters, in plain text."""
        return cls.index

    @classmethod
    def check_export(cls, params: Mapping[str, Any]) -> None:
        """Reject parameters that no other library has, before a result is converted."""

    @classmethod
    def list_fixed_settings(cls, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the parameters that were not searched that make a difference."""
        return dict(fixed)

    @classmethod
    def for_arms(cls, params: Mapping[str, Any], arms: Sequence[Hashable] | None) -> dict[str, Any]:
        """Return the parameters for a task with these arms; None if they have no names."""
        return dict(params)

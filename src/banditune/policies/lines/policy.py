"""What policies have in common whose index is made of parts (`kernels.lines.bonus`): all but what the parts are."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.interruption import call_with_watch
from banditune.kernels.lines.bonus import Bonus, add_square
from banditune.kernels.lines.bonus_run import count_choices, next_arm_by_bonus, play_lines
from banditune.kernels.lines.bonus_tables import LineBatch
from banditune.kernels.lines.feedback import IMMEDIATE
from banditune.kernels.lines.sweep import sweep_lines
from banditune.kernels.numerics.double_double import add
from banditune.kernels.simulator import state as at
from banditune.kernels.simulator.rules import LINES
from banditune.kernels.simulator.state import State, state_after
from banditune.policies.base import Bundled, RewardScale
from banditune.policies.batches import Terms, batch_streams, finish_run
from banditune.policies.counting_policy import CountingPolicy
from banditune.policies.parameters import round_up
from banditune.policies.piece_bounds import ComplexityBound, TaskSize, bound_lines
from banditune.policies.sweep_results import Run, Swept
from banditune.policies.ucb.ucb import UCB
from banditune.policies.updates import UPDATES, Updates, read_feedback
from banditune.tasks.arrays import LARGEST, check_numbers, check_totals
from banditune.validation import LONGEST_GAME, finite_number, whole_number

DRAWS = {"lcdb": 2, "headlines": 6}  # of the coins of a policy that draws, for each bundled task: seconds
DRAWN = {name: each._replace(draws=DRAWS[name]) for name, each in UCB.bundled.items()}


class LinePolicy(CountingPolicy[LineBatch]):
    """A policy with one free parameter and the index mean + parameter * bonus; every arm is pulled once first."""

    parts: ClassVar[Bonus]  # of its index
    widest: ClassVar[float] = 2.0  # the parameter that is searched up to, in its units
    is_unitless: ClassVar[bool] = False  # whether its parameter has no unit; else it has that of the rewards
    bundled: ClassVar[Mapping[str, Bundled]] = UCB.bundled
    per_arm: ClassVar[tuple[str, ...]] = ("counts", "_sums", "_squares")

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.parameters = {**cls.parameters, UPDATES.name: UPDATES}
        cls.bundled = DRAWN if cls.is_randomised else UCB.bundled

    def __init__(
        self,
        n_arms: int,
        settings: Mapping[str, Any],
        *,
        updates: Updates | None,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_arms, updates)
        for name, value in settings.items():
            setattr(self, name, self.parameters[name].value(value))
        self.check_settings(self.settings)
        self.horizon = None if horizon is None else whole_number("horizon", horizon, least=1, most=LONGEST_GAME)
        self.seed = whole_number("seed", seed, least=0, most=2**64 - 1)
        if self.horizon is None and self.uses_horizon(self.settings):
            raise ParameterError(f"{type(self).__name__} needs the horizon, the number of rounds to be run; got None")
        self._squares = np.zeros((self.n_arms, 2))
        self._bonus = self.make_bonus(self.settings, 0 if self.horizon is None else self.horizon)

    def __repr__(self) -> str:
        known = {name: value for name, value in self.settings.items() if self._is_shown(name, value)}
        shown = "".join(f", {name}={value:.6g}" if isinstance(value, float) else f", {name}={value!r}"
                        for name, value in known.items())  # fmt: skip
        horizon = f", horizon={self.horizon}" if self.uses_horizon(self.settings) else ""
        return f"{type(self).__name__}(n_arms={self.n_arms}{shown}{horizon}, pulls={self.counts.sum()})"

    @property
    def settings(self) -> dict[str, Any]:
        """What it is run with."""
        return {name: getattr(self, name) for name in self.parameters}

    def _is_shown(self, name: str, value: Any) -> bool:
        return name == self.find_searched_parameter().name or value != self.parameters[name].default

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index with these settings, in runs of so many rounds."""
        return cls.parts._replace(horizon=float(horizon))

    def select(self) -> int:
        """Return the arm to pull next, a number from 0. It changes nothing."""
        return self._choose(self._searched_value)

    def mark_best(self) -> NDArray[np.float64]:
        """Return 1 for the arm that would be pulled next without exploration, and 0 for the others."""
        marks = np.zeros(self.n_arms)
        marks[self._choose(0.0)] = 1.0
        return marks

    def _choose(self, x: float) -> int:
        known, nothing = (self.counts, self.pending, self._sums, self._squares), np.zeros(self.n_arms)
        return next_arm_by_bonus(*known, x, self._bonus, self._late or IMMEDIATE, np.uint64(self.seed), nothing, 0.0)

    def count_choices(self, arm: int, seeds: NDArray[np.uint64], *contexts: Any) -> int:
        """Count with how many random seeds this arm would be chosen next: see `OnlinePolicy.count_choices`."""
        known = self.counts, self.pending, self._sums, self._squares
        return count_choices(arm, seeds, *known, self._searched_value, self._bonus, self._late or IMMEDIATE)

    def _learn(self, arm: int, reward: float) -> None:
        super()._learn(arm, reward)
        if self.parts.has_variances:
            self._squares[arm] = add_square(self._squares[arm, 0], self._squares[arm, 1], reward)

    def _learn_totals(self, arm: int, pulls: int, total: float, squares: float | None) -> None:
        square = check_squares(type(self).__name__, pulls, total, squares) if self.parts.has_variances else 0.0
        super()._learn_totals(arm, pulls, total, squares)
        self._squares[arm] = add(self._squares[arm, 0], self._squares[arm, 1], square, 0.0)

    def to_json(self) -> str:
        """Return the policy with all that it has learned as JSON text, for `bt.policy_from_json`."""
        plain = {name: self.parameters[name].plain(value) for name, value in self.settings.items()}
        known = {"counts": self.counts.tolist(), "sums": self._sums.tolist()}
        known |= {"squares": self._squares.tolist()} if self.parts.has_variances else {}
        return json.dumps({"policy": self.name, **plain, **self._list_arguments(), **known, **self._state_of_updates()})

    def _list_arguments(self) -> dict[str, Any]:
        """Return what it was made with besides its settings, as arguments."""
        made = {"horizon": self.horizon} if self.needs_horizon else {}
        return made | ({"seed": self.seed} if self.is_randomised else {})

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Make the policy from what `to_json` wrote."""
        counts, sums = check_totals(state["counts"], state["sums"], LARGEST)
        names = [*cls.parameters, *(["horizon"] if cls.needs_horizon else []), *(["seed"] if cls.is_randomised else [])]
        made = {name: state[name] for name in names if name != UPDATES.name}
        policy = cls(counts.size, **made, updates=state.get(UPDATES.name))  # earlier versions wrote none
        policy.counts[:], policy._sums[:] = counts, sums
        policy._restore_pending(state)
        if cls.parts.has_variances:
            squares = check_numbers(state["squares"], "squares", sized=False)
            if squares.shape != sums.shape or not (squares[:, 0] >= 0.0).all():
                raise ParameterError("squares must be two numbers for each arm, the first at least 0")
            policy._squares[:] = squares
        return policy

    def simulator_state(self) -> State | None:
        """Return the state from which the compiled simulator goes on; none where rewards are late."""
        if self.updates is not None:
            return None
        state = state_after(LINES, self.counts, self._sums, self.seed)
        own, bonus = state.own, self._bonus
        state.arms[:, [at.DEVIATIONS, at.EXTRA]] = self._squares
        own[at.THETA] = self._searched_value
        own[[at.FIRST, at.SECOND, at.THIRD, at.SCHEDULE]] = bonus.form, bonus.width, bonus.coin, bonus.growth
        own[[at.HORIZON, at.LEAST, at.MOST, at.WEIGHT]] = bonus.horizon, bonus.power, bonus.span, bonus.low
        own[[at.CHOSEN, at.ROWS]] = bonus.successes, bonus.failures
        return state

    @classmethod
    def list_fixed_settings(cls, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the other settings that are not the usual ones."""
        return {name: value for name, value in fixed.items() if value != cls.parameters[name].default}

    @classmethod
    def list_settings(cls, scale: RewardScale) -> dict[str, dict[str, Any]]:
        """Return the usual value of the parameter, for rewards of this scale."""
        known = cls.find_searched_parameter()
        return {cls.label: {known.name: known.as_run(known.usual[0] * cls.unit_of(scale)), **cls.settings_for(scale)}}

    @classmethod
    def settings_for(cls, scale: RewardScale) -> dict[str, Any]:
        """Return the bounds of the rewards, or the width of their range, if it is told one of them."""
        known = {"bounds": scale.bounds, "reward_range": scale.bounds[1] - scale.bounds[0]}
        return {name: value for name, value in known.items() if name in cls.parameters}

    @classmethod
    def unit_of(cls, scale: RewardScale) -> float:
        """Return what usual values are multiplied with for rewards of this scale: the width of their range, or 1."""
        return 1.0 if cls.is_unitless else scale.bounds[1] - scale.bounds[0]

    @classmethod
    def spread(cls, tasks: Iterable[Any]) -> float:
        """Return the largest spread of the rewards of an arm, or of the arms' means, in any task; 0 without units."""
        return 0.0 if cls.is_unitless else UCB.spread(tasks)

    @classmethod
    def range_for(cls, parameter: str, spread: float) -> tuple[float, float]:
        """Return a range from 0 to some spreads of the rewards, the spread rounded up to one digit; or units."""
        return 0.0, cls.widest * (1.0 if cls.is_unitless else round_up(spread))

    @classmethod
    def bound_pieces(cls, parameter: str, size: TaskSize, settings: Mapping[str, Any]) -> ComplexityBound:
        """Theorem 7.1: indices are lines that depend on the counts and on the round. See `Policy.bound_pieces`."""
        return ComplexityBound(bound_lines(size), size.horizon**size.n_arms, "7.1")

    @classmethod
    def make_batch(cls, tasks: Sequence[Any], terms: Terms) -> LineBatch:
        """Lay out tasks of rewards, with the parts of the index and the keys of the coins."""
        batch, bonus = batch_streams(tasks, terms), cls.make_bonus(terms.settings, terms.horizon)
        keys = [task.address.key(terms.seed) if cls.is_randomised else 0 for task in tasks]
        feedback = read_feedback(terms.settings, tasks, is_randomised=cls.is_randomised)
        return LineBatch(batch, bonus, np.array(keys, np.uint64), feedback)

    @classmethod
    def run(cls, batch: LineBatch, values: Mapping[str, Any]) -> Run:
        """Run on the first task of a batch."""
        arms, rewards, losses = call_with_watch(play_lines, batch, float(values[cls.find_searched_parameter().name]))
        return finish_run(batch.tasks, arms, rewards, losses)

    @classmethod
    def sweep(
        cls,
        batch: LineBatch,
        horizons: Sequence[int],
        parameter: str,
        low: float,
        high: float,
        fixed: Mapping[str, Any],
    ) -> Swept:
        """Return the exact losses of the tasks for every value in [low, high]: see `Policy.sweep`."""
        return Swept.from_pieces(low, high, *call_with_watch(sweep_lines, batch, np.array(horizons), low, high))


def check_squares(policy: str, pulls: int, total: float, squares: float | None) -> float:
    """Return the sum of the squares of some rewards, which is known and not less than their mean allows."""
    if squares is None:
        raise ParameterError(f"{policy} goes by the variance of rewards: it needs the sum of their squares, got None")
    number = finite_number("the sum of squares", squares, least=0.0)
    least = total * total / pulls if pulls else 0.0
    if number < least * (1.0 - 1e-9):
        raise ParameterError(f"the sum of squares must be at least total**2 / pulls = {least:g}, got {number!r}")
    return number

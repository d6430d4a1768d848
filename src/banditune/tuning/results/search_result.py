"""The result of a search: the value, the mean curve, and small results for what only some searches find out."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from banditune.curves.curve_set import CurveSet
from banditune.curves.display import html_table, list_names, take_axes
from banditune.curves.palette import BEST, RANGE
from banditune.curves.step_function import Interval, StepFunction
from banditune.policies.base import Policy
from banditune.tasks.costs import check_costs
from banditune.tuning.priors.fitted_prior import FittedPrior
from banditune.tuning.priors.line_search import PriorFindings
from banditune.tuning.replay import Replay
from banditune.tuning.results.details import Compared, Detail, Merged, Proof, Racing, Source
from banditune.tuning.search import Search

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DETAILS: tuple[type[Detail], ...] = (Replay, PriorFindings, FittedPrior, Proof, Merged, Racing)

D = TypeVar("D", bound=Detail)
INTERNAL = frozenset(  # what only the package asks for: `dir` leaves it out
    {"add", "details", "find", "list_curves", "list_unconverted_settings", "note_costs", "of", "search"}
    | {"smooth", "smoothed", "smoothing_draws", "source"}
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SearchResult:
    """What a search found in past tasks; `Tuned` adds what can be done with it."""

    search: Search  # what was asked: the policy, the parameter and its range, the horizon, the loss, the seed
    params: dict[str, Any]  # what to run the policy with
    interval: Interval  # every value in it has the least mean loss
    within_one_se: Interval  # outside it, every value does worse than the best by over one standard error
    curve: StepFunction  # the mean loss for every value
    loss: float  # the least mean loss
    n_tasks: int
    complexity: float  # the mean number of pieces of a task's loss, for each draw: an estimate of Q_D
    histories: float | None  # the mean number of runs the range was cut into, without merging; None unless asked for
    source: Source = field(default_factory=Source)  # where the tasks came from; its fields are attributes here, too
    compared: tuple[Compared, ...] = ()  # the best with each of the values that were compared, if any were
    steps: tuple[Compared, ...] = ()  # what each exact search found, where several parameters were searched in turn
    details: tuple[Detail, ...] = ()  # what only such a search finds out: replay, priors, proof, merged, racing
    draw_error: float = math.nan  # the share of the draws in the squared standard error of the loss; nan if not known
    smoothed: float | None = None  # the value that a study recommends; None: that of params
    curves: CurveSet | None = None  # of the tasks, where each was made without looking at others; not saved

    @classmethod
    def of(
        cls,
        search: Search,
        curve: StepFunction,
        best: float,
        *,
        details: Iterable[Detail | None] = (),
        loss: float | None = None,
        **found: Any,
    ) -> Self:
        """Make the result of a search from the mean curve and its best value; the loss is read off there if not given.

        `found` are the other fields; a detail that is None is left out.
        """
        return cls(
            search,
            params={
                search.parameter: search.free_parameter.as_run(best),
                **search.policy.list_fixed_settings(search.fixed),
            },
            interval=curve.argmin(),
            curve=curve,
            loss=curve(best) if loss is None else loss,
            details=tuple(each for each in details if each is not None),
            **found,
        )

    def add(self, detail: Detail | None) -> Self:
        """Return the same result with one more detail, if there is one."""
        return self if detail is None else replace(self, details=(*self.details, detail))

    def note_costs(self, costs: object) -> Self:
        """Return the same result with the costs of arms that rewards were net of, if there were any."""
        return self if costs is None else replace(self, source=replace(self.source, costs=check_costs(costs)))

    def find(self, kind: type[D]) -> D | None:
        """Return the detail of a kind; None if such a search has none."""
        return next((each for each in self.details if isinstance(each, kind)), None)

    def __getattr__(self, name: str) -> Any:
        if name in ("params", "source", "details"):  # not there yet, while unpickling
            raise AttributeError(name)
        if name in self.params:
            return self.params[name]
        if name in Source.__slots__:
            return getattr(self.source, name)
        if any(name == kind.key for kind in DETAILS):
            return next((each for each in self.details if each.key == name), None)
        raise AttributeError(f"a Tuned has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        known = set(list_names(self, INTERNAL))
        return sorted(known | set(self.params) | set(Source.__slots__) | {kind.key for kind in DETAILS})

    @property
    def searched(self) -> Interval:
        """The whole range that was asked about; where tasks were raced, `curve` is of a part of it."""
        racing = self.find(Racing)
        return Interval(self.curve.low, self.curve.high) if racing is None else racing.searched

    @property
    def policy_class(self) -> type[Policy[Any]]:
        """The policy that was tuned."""
        return self.search.policy

    @property
    def parameter(self) -> str:
        """The parameter that was searched."""
        return self.search.parameter

    @property
    def horizon(self) -> int:
        """The number of rounds of a run."""
        return self.search.horizons[-1]

    @property
    def loss_name(self) -> str:
        """What was kept low: a name in `LOSSES`."""
        return self.search.loss.name

    @property
    def seed(self) -> int:
        """The random seed."""
        return self.search.seed

    @property
    def draws(self) -> int:
        """How many streams were drawn for each task whose order or length is not recorded."""
        return self.search.draws.number

    @property
    def recommended(self) -> dict[str, Any]:
        """The parameters to run the policy with next: of a study, with the value that it recommends; else `params`."""
        if self.smoothed is None:
            return dict(self.params)
        return self.params | {self.parameter: self.search.free_parameter.as_run(self.smoothed)}

    @property
    def smoothing_draws(self) -> int | None:
        """The draws of each task where what is recommended is not the least itself."""
        return None if self.smoothed is None else self.draws

    def summary(self) -> dict[str, object]:
        """Return the result as plain data that JSON can hold, without the curve."""
        return {
            "policy": self.policy_class.name,
            "params": self._plain(self.params),
            "recommended": self._plain(self.recommended),
            "interval": list(self.interval),
            "within_one_se": list(self.within_one_se),
            "loss": self.loss,
            "loss_name": self.loss_name,
            **self.search.loss.to_json(),
            "parameter": self.parameter,
            "range": [self.curve.low, self.curve.high],
            "n_tasks": self.n_tasks,
            "horizon": self.horizon,
            "complexity": self.complexity,
            "histories": self.histories,
            "seed": self.seed,
            "draws": self.draws,
            "draw_error": None if math.isnan(self.draw_error) else self.draw_error,
            "reward_limits": None if self.source.reward_limits is None else list(self.source.reward_limits),
            "log": self.source.origin,
            "left_out": list(self.source.left_out),
            **({} if self.source.costs is None else {"costs": self.source.costs}),
            "compared": [{"params": self._plain(each.params), "loss": each.loss} for each in self.compared],
            "steps": [{"params": self._plain(each.params), "loss": each.loss} for each in self.steps],
            **{kind.key: None for kind in DETAILS},
            **{each.key: each.to_json() for each in self.details},
        }

    def _plain(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters as JSON can hold them."""
        return {name: self.policy_class.parameters[name].plain(value) for name, value in params.items()}

    def __repr__(self) -> str:
        low, high = self.within_one_se
        params = self._describe(self.params).replace(" = ", "=")
        return (
            f"Tuned({self.policy_class.__name__}, {params}, loss={self.loss:.4g}, "
            f"within_one_se=({low:.4g}, {high:.4g}), n_tasks={self.n_tasks}, horizon={self.horizon})"
        )

    def _repr_html_(self) -> str:
        low, high = self.within_one_se
        rows = [
            ("best parameters", self._describe(self.params)),
            *([] if self.smoothed is None else [("recommended", self._describe(self.recommended))]),
            ("index", self.policy_class.describe_index(self.params)),
            (f"mean {self.loss_name}", f"{self.search.loss.sign * self.loss:.4g}"),
            ("within one standard error", f"{low:.4g} to {high:.4g}"),
            ("searched", f"{self.parameter} from {self.searched.low:g} to {self.searched.high:g}, exactly"),
            *([] if self.find(Racing) is None else [("raced", str(self.find(Racing)))]),
            ("tasks", f"{self.n_tasks:,}"),
            ("rounds", f"{self.horizon:,}"),
        ]
        return html_table(f"Tuned {self.policy_class.__name__}", rows)

    def _describe(self, params: Mapping[str, Any]) -> str:
        known = self.policy_class.parameters
        texts = (known[name].describe(value) for name, value in params.items())
        return ", ".join(text for text in texts if text)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the mean loss for every value, the learned one and the range within one standard error.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default. Needs Matplotlib (the extra `plot`).

        Returns
        -------
        matplotlib.axes.Axes
        """
        best = self._searched_value
        axes = self.curve.plot(take_axes(ax))
        axes.axvspan(*self.within_one_se, color=RANGE, linewidth=0, zorder=0, label="within one standard error")
        axes.plot([best], [self.loss], "o", color=BEST, label=f"{self.parameter} = {best:.4g}")
        if 0.0 < best < 0.02 * self.curve.high:  # on a linear scale, all that matters would be one line
            axes.set_xscale("symlog", linthresh=max(best / 10.0, 1e-9 * self.curve.high))
        measure = f"{'' if self.search.loss.is_lost else 'minus the '}mean {self.loss_name}"
        axes.set(xlabel=self.parameter, ylabel=measure, xlim=(self.curve.low, self.curve.high))
        axes.legend()
        return axes

    @property
    def _searched_value(self) -> float:
        """The learned value as a point of the curve."""
        return self.search.free_parameter.inside(*self.interval)

    def list_curves(self) -> dict[str, StepFunction]:
        """Return all curves that are saved, by the names they have there."""
        curves, replay, racing = {"curve": self.curve}, self.find(Replay), self.find(Racing)
        if replay is not None:
            curves["matched"] = replay.matched
        if racing is not None:
            curves["pilot"] = racing.pilot
        return curves

    def __eq__(self, other: object) -> bool:
        """Equal is what would be saved alike: all but the curves of single tasks."""
        if not isinstance(other, SearchResult):
            return NotImplemented
        alike = json.dumps(self.summary()) == json.dumps(other.summary())
        return alike and self.list_curves() == other.list_curves()

    __hash__ = None  # type: ignore[assignment]  # equal by value, and the values are arrays

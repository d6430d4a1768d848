"""A result as something that runs: as a policy, in production, or in another library."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from banditune.errors import ParameterError
from banditune.policies.base import Policy
from banditune.policies.exports import Conversion, convert
from banditune.policies.losses import PULLS
from banditune.policies.named_arms import NamedArms, make_policy
from banditune.tasks.costs import describe_costs
from banditune.tasks.encoding import Encoding
from banditune.tuning.results.search_result import SearchResult
from banditune.validation import format_count

if TYPE_CHECKING:
    from banditune.deployment.deployment import Deployment


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunnableResult(SearchResult):
    """What a search found, ready to run; `Tuned` adds what it is worth."""

    def policy(
        self,
        n_arms: int | None = None,
        *,
        arms: Sequence[Hashable] | None = None,
        dim: int | None = None,
        points: ArrayLike | None = None,
        configurations: Sequence[Any] | None = None,
        seed: int | None = None,
    ) -> Policy[Any] | NamedArms:
        """Return the tuned policy for a new task.

        Parameters
        ----------
        n_arms : int, optional
            The number of arms.
        arms : sequence, optional
            The names of the arms instead: `select` returns names then, `update` takes them, and priors that were
            learned by name are those of these arms.
        dim : int, optional
            The number of features, for LinUCB; not needed where features with categories were encoded: a context is
            then `tuned.encoding.points([{"age": 30, "country": "at"}])[0]`.
        points : array_like, shape (n, d), optional
            The points of the arms, for GP-UCB.
        configurations : sequence of mappings, optional
            Configurations to be encoded as points as those of the past tasks were.
        seed : int, optional
            The random seed of a policy that draws: give every task one of its own. By default 0.

        Returns
        -------
        Policy
            With `arms`, within a `NamedArms`, whose attributes are the policy's own.
        """
        points = self._place(configurations, points)
        if "dim" in self.policy_class.needs and dim is None and self.encoding is not None:
            dim = self.encoding.width
        return make_policy(
            self.policy_class,
            self.recommended,
            n_arms=n_arms,
            arms=arms,
            dim=dim,
            points=points,
            horizon=self.horizon,
            seed=seed,
        )

    def deploy(
        self, arms: Sequence[Any], *, store: Any = None, configurations: Sequence[Any] | None = None, **named: Any
    ) -> "Deployment":
        """Put the tuned policy into production, or go on with it where the store has it already.

        Parameters
        ----------
        arms : sequence of str or int
            The names of the arms; priors that were learned by name are those of these arms.
        store : Store, str or path, optional
            Where it is kept: "bandit.db", "postgresql://...", a store of `banditune.deployment`; by default in memory.
        configurations : sequence of mappings, optional
            The configuration of each arm, to be encoded as a point as those of the past tasks were.
        **named
            As for `banditune.deployment.deploy`: name, seed, dim, points, horizon, propensity_draws, clock.

        Returns
        -------
        Deployment
            It chooses arms by name, and takes rewards late and in any order: see `banditune.deployment`.
        """
        from banditune.deployment.creation import deploy

        points = self._place(configurations, named.pop("points", None))
        told: dict[str, Any] = {"horizon": self.horizon, "points": points}
        if "dim" in self.policy_class.needs and self.encoding is not None:
            told["dim"] = self.encoding.width
        return deploy(self.policy_class, arms=arms, store=store, **(told | named), **self.recommended)

    def _place(self, configurations: Sequence[Any] | None, points: ArrayLike | None) -> ArrayLike | None:
        """Return the points of arms, or of their configurations."""
        if configurations is None:
            return points
        if self.encoding is None or points is not None:
            raise ParameterError("configurations needs a result tuned on configurations, which has no points")
        return self.encoding.points(configurations)

    @property
    def encoding(self) -> Encoding | None:
        """How configurations become points, or features with categories contexts, where a log was read as such."""
        saved = None if self.source.origin is None else self.source.origin.get("encoding")
        return None if saved is None else Encoding.from_json(saved)

    def to(self, library: str) -> Conversion:
        """Return the same exploration in the parameters of another library, such as "mabwiser" or "river"."""
        return convert(self.policy_class, self.recommended, library, self.list_unconverted_settings())

    def list_unconverted_settings(self) -> list[str]:
        """List what the result was tuned with and no code of another library does by itself, as sentences."""
        notes, loss = [], self.search.loss
        if self.source.costs is not None:
            notes.append(
                f"It was tuned on rewards net of costs ({describe_costs(self.source.costs)}): subtract them from each "
                "reward, which this code does not."
            )
        if loss.later > 0.0:
            notes.append(
                f"It was tuned for runs of {format_count(self.horizon, 'round')}, after which the arm with the "
                f"{'most pulls' if loss.recommend == PULLS else 'highest mean'} is used: this code does not stop there."
            )
        if self.encoding is not None:
            notes.append("It was tuned on encoded values: encode yours as `encoding` of the result does.")
        return notes

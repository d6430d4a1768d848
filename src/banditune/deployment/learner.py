"""What a deployment knows after some events: its policy, and the decisions whose rewards are still to come.

All of it follows from the events in their order, so that every process that reads them knows the same, to the last bit.
A process keeps it as a cache and reads only what is new; a snapshot is the same as JSON, for those that start later.
"""

from typing import Any, NamedTuple

import numpy as np

from banditune.deployment import events
from banditune.deployment.definition import Definition
from banditune.deployment.events import Arm, Event, write_text
from banditune.errors import BanditTuneError, FileError, ParameterError
from banditune.io.json_text import parse_json
from banditune.policies.registry import restore_policy
from banditune.rng import generator, stable_hash
from banditune.validation import format_names, format_value


class Pending(NamedTuple):
    """A decision without a reward."""

    arm: Arm
    at: float
    context: list[float] | None  # of the arm that was chosen


class Tally(NamedTuple):
    """The rewards that an arm has got, also those of a time before it was removed."""

    pulls: int = 0
    total: float = 0.0


class Learner:
    """A policy for the arms of now, that events are applied to one after the other."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.arms, self.points = list(definition.arms), dict(definition.points)
        self.policy: Any = definition.recipe.make(self.arms, self.points)
        self.pending: dict[int, Pending] = {}
        self.tallies: dict[Arm, Tally] = {arm: Tally() for arm in self.arms}
        self.labels: set[str] = set()  # of totals that were restored
        self.sequence = 0  # of the last event that was applied
        self.decisions = 0  # that were made

    def check_event(self, event: Event) -> None:
        """Apply an event that is about to be stored: what cannot be applied must not be."""
        self._apply(event)
        self.sequence += 1

    def apply(self, event: Event, where: str) -> None:
        """Apply an event that was stored."""
        try:
            self.check_event(event)
        except (BanditTuneError, ArithmeticError, LookupError, TypeError) as error:
            raise FileError(f"{where}, event {self.sequence + 1} ({event.kind}) cannot be applied: {error}") from None

    def _apply(self, event: Event) -> None:
        match event.kind:
            case events.CHOOSE:
                self._wait(event)
            case events.REWARD:
                self._learn(event)
            case events.DROP:
                assert event.decision is not None
                waiting = self.pending.pop(event.decision)
                if waiting.arm in self.arms:
                    self.policy.forget(waiting.arm, *self._contexts_of(waiting.context))
            case events.ADD:
                assert event.arm is not None
                if event.details is not None:
                    self.points[event.arm] = event.details["point"]
                self._change_arms([*self.arms, event.arm])
            case events.REMOVE:
                self._change_arms([arm for arm in self.arms if arm != event.arm])
            case events.RESTORE:
                self._restore(event)

    def _wait(self, event: Event) -> None:
        assert event.decision is not None
        assert event.arm is not None
        self.decisions = event.decision
        self.pending[event.decision] = Pending(event.arm, event.at, (event.details or {}).get("context"))
        self._expect(self.pending[event.decision])

    def _learn(self, event: Event) -> None:
        assert event.decision is not None
        assert event.arm is not None
        assert event.reward is not None
        before = self.tallies.get(event.arm, Tally())
        if event.arm in self.arms:
            context = (event.details or {}).get("context")
            if event.decision not in self.pending:  # it was given up, and came after all
                self._expect(Pending(event.arm, event.at, context))
            self.policy.update(event.arm, event.reward, *self._contexts_of(context))
        self.pending.pop(event.decision, None)
        self.tallies[event.arm] = Tally(before.pulls + 1, before.total + event.reward)

    def _contexts_of(self, context: list[float] | None) -> tuple[Any, ...]:
        """Return contexts for `update`, which goes by that of the chosen arm alone."""
        return () if context is None else (np.tile(context, (len(self.arms), 1)),)

    def _expect(self, waiting: Pending) -> None:
        """Let the policy know of a pull whose reward is still to come."""
        if waiting.arm in self.arms:
            self.policy.expect(waiting.arm, *self._contexts_of(waiting.context))

    def _change_arms(self, arms: list[Arm]) -> None:
        """Go on with other arms: those that stay are known as before, new ones as arms that were never pulled."""
        before, known = self.policy, {arm: number for number, arm in enumerate(self.arms)}
        self.policy, self.arms = self.definition.recipe.make(arms, self.points), arms
        self.policy.adopt(before, [known.get(arm) for arm in arms])
        for arm in arms:
            self.tallies.setdefault(arm, Tally())
        for waiting in self.pending.values():
            self._expect(waiting)

    def _restore(self, event: Event) -> None:
        assert event.arm is not None
        assert event.details is not None
        pulls, total, squares = (event.details[name] for name in ("pulls", "total", "squares"))
        self.policy.add_totals(event.arm, pulls, total, squares)
        before = self.tallies[event.arm]
        self.labels.add(event.details["label"])
        self.tallies[event.arm] = Tally(before.pulls + pulls, before.total + total)

    def number_of(self, arm: object) -> int:
        """Return the number of an arm; a name that is not that of an arm is rejected."""
        if arm in self.arms and not isinstance(arm, bool):
            return self.arms.index(arm)
        known = format_names(map(repr, self.arms[:10])) + (", ..." if len(self.arms) > 10 else "")
        raise ParameterError(f"arm must be one of {known}; got {format_value(arm)}")

    def choose(self, contexts: Any) -> Event:
        """Return the next decision as an event, not yet applied; what is drawn depends on the seed and its number."""
        number, seen = self.decisions + 1, () if contexts is None else (contexts,)
        if self.definition.recipe.policy.is_randomised:
            self.policy.seed = stable_hash(repr((self.definition.seed, number)).encode())
        arm = self.policy.select(*seen)
        details = None
        if contexts is not None:
            plain = np.asarray(contexts, np.float64)
            own = plain if plain.ndim == 1 else plain[self.number_of(arm)]
            details = {"contexts": plain.tolist(), "context": own.tolist()}
        return Event(events.CHOOSE, 0.0, number, arm, None, self._propensity(number, arm, seen), details)

    def _propensity(self, number: int, arm: Arm, seen: tuple[Any, ...]) -> float | None:
        """Return how likely the arm was: by a formula, or by as many draws as are wanted, of which this was one."""
        known = self.policy.choice_probabilities(*seen)
        if known is not None:
            return float(known[self.number_of(arm)])
        seed, draws = self.definition.seed, self.definition.draws
        if draws == 0:
            return None
        seeds = generator(seed, "propensity", number).integers(2**64, size=draws - 1, dtype=np.uint64)
        same: int = self.policy.count_choices(arm, seeds, *seen)
        return (1 + same) / draws

    def to_json(self) -> str:
        """Return all of it as text, but for what the deployment began with."""
        pending = [[number, *waiting] for number, waiting in self.pending.items()]
        tallies = [[arm, *tally] for arm, tally in self.tallies.items()]
        points = [[arm, list(point)] for arm, point in self.points.items()]
        policy = parse_json(self.policy.to_json(), "a policy")
        known = {"policy": policy, "arms": self.arms, "points": points, "decisions": self.decisions}
        return write_text(known | {"pending": pending, "tallies": tallies, "labels": sorted(self.labels)})

    def load(self, text: str, sequence: int, where: str) -> None:
        """Take over what `to_json` wrote after so many events."""
        try:
            saved = parse_json(text, where)
            self.arms, self.points = list(saved["arms"]), dict(saved["points"])
            knows_names = "arms" in self.definition.recipe.policy.needs  # any other policy is given them
            self.policy = restore_policy(saved["policy"] | ({} if knows_names else {"arm_names": self.arms}))
            self.pending = {number: Pending(*waiting) for number, *waiting in saved["pending"]}
            self.tallies = {arm: Tally(*tally) for arm, *tally in saved["tallies"]}
            self.labels, self.decisions, self.sequence = set(saved["labels"]), saved["decisions"], sequence
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(f"{where}, the snapshot after event {sequence} cannot be used: {error}") from None

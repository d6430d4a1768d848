"""Whether events can have happened as they are told: one after the other, and a decision as it would be made again."""

from collections.abc import Iterable, Sequence

from banditune.deployment.definition import Definition
from banditune.deployment.events import ADD, CHOOSE, DROP, REMOVE, RESTORE, REWARD, Arm, Event
from banditune.deployment.learner import Learner
from banditune.errors import FileError
from banditune.validation import format_value


def check_history(arms: Sequence[Arm], events: Sequence[Event], where: str) -> None:
    """Reject the first event that contradicts those before it, such as a second reward of a decision.

    `arms` are those that the deployment began with.
    """
    history = _History(arms)
    for place, event in enumerate(events, start=1):
        wrong = history.find_contradiction(event)
        if wrong:
            raise FileError(f"{where}, event {place} ({event.kind}): {wrong}")
        history.add(event, place)


class _History:
    """What has happened so far, and in which events."""

    def __init__(self, arms: Sequence[Arm]) -> None:
        self._arms = set(arms)
        self._chosen: dict[int, Arm] = {}
        self._settled: dict[int, tuple[str, int]] = {}  # decisions that have a reward, or were given up: how and where
        self._restored: dict[tuple[object, Arm | None], int] = {}  # totals by label and arm

    def find_contradiction(self, event: Event) -> str:
        """Return why an event cannot be the next; empty if it can."""
        number, arm = event.decision, event.arm
        has_arm, named = arm in self._arms, f"arm {format_value(arm)}"
        if event.kind in (CHOOSE, REMOVE, RESTORE) and not has_arm:
            return f"there is no {named} at that time"
        if event.kind == ADD and has_arm:
            return f"there is an {named} already"
        if event.kind == RESTORE and (before := self._restored.get(self._label(event))):
            return f"these totals of {named} were added in event {before} before"
        if event.kind == CHOOSE and number != len(self._chosen) + 1:
            return f"decisions are numbered one after the other, {len(self._chosen) + 1} is the next; got {number}"
        return self._contradict(event) if event.kind in (REWARD, DROP) else ""

    def _contradict(self, event: Event) -> str:
        """Return why a reward, or the end of waiting for it, cannot be; empty if it can."""
        number, arm = event.decision, event.arm
        assert number is not None
        if number not in self._chosen:
            return f"decision {number} was not made before"
        if arm != self._chosen[number]:
            return f"decision {number} chose arm {format_value(self._chosen[number])}, got {format_value(arm)}"
        kind, place = self._settled.get(number, ("", 0))
        if kind == REWARD:
            return f"decision {number} has got its reward in event {place} before"
        if kind == DROP == event.kind:
            return f"decision {number} was given up in event {place} before"
        return ""

    def add(self, event: Event, place: int) -> None:
        """Take an event as the next."""
        number, arm = event.decision, event.arm
        assert arm is not None
        if event.kind == CHOOSE:
            self._chosen[len(self._chosen) + 1] = arm
        elif number is not None and event.kind in (REWARD, DROP):
            self._settled[number] = event.kind, place
        elif event.kind == ADD:
            self._arms.add(arm)
        elif event.kind == REMOVE:
            self._arms.remove(arm)
        elif event.kind == RESTORE:
            self._restored[self._label(event)] = place

    @staticmethod
    def _label(event: Event) -> tuple[object, Arm | None]:
        return str((event.details or {}).get("label")), event.arm


def replay(definition: Definition, events: Iterable[Event], number: int, where: str) -> Event:
    """Make a decision again from what was known then; one that comes out differently is an error."""
    learner = Learner(definition)
    for event in events:
        if event.kind == CHOOSE and event.decision == number:
            again = learner.choose((event.details or {}).get("contexts"))
            if (again.arm, again.propensity) != (event.arm, event.propensity):
                was, now = (f"{each.arm!r} with propensity {each.propensity}" for each in (event, again))
                raise FileError(
                    f"{where}: decision {number} was {was}, and comes out as {now}: another version of banditune made "
                    "it, or the store was changed"
                )
            return event
        learner.apply(event, where)
    raise FileError(f"{where} has no choice of decision {number}")

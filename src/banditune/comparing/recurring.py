"""Whether arms come back in task after task, so that priors can be learned of them."""

from collections import Counter
from collections.abc import Sequence

from banditune.tasks import Task

MUCH = 10**5  # arms of all tasks times rounds: beyond, learning priors takes minutes


def arms_recur(tasks: Sequence[Task]) -> bool:
    """Whether arms have names, and most arms of the tasks are in most tasks.

    >>> arms_recur([Task([[1.0], [0.0]], arms=["a", "b"]), Task([[1.0], [0.0]], arms=["a", "b"])])
    True
    """
    seen = Counter(arm for task in tasks for arm in task.arms)
    common = sum(count for count in seen.values() if 2 * count > len(tasks))
    return all(task.given_arms is not None for task in tasks) and 2 * common > sum(seen.values())


def takes_long(tasks: Sequence[Task], rounds: int) -> bool:
    """Whether learning priors on such tasks takes minutes."""
    return sum(task.n_arms for task in tasks) * rounds > MUCH

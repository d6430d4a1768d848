"""How results are put into words, on the terminal and on the page."""

from collections.abc import Mapping
from typing import Any

from banditune.step_function import Interval
from banditune.tuned import Tuned


class Words:
    """How a loss is spoken of: regret is lost, reward is earned, in a whole game or by an event of a log."""

    def __init__(self, loss_name: str, *, replayed: bool = False) -> None:
        self.lost = loss_name == "regret"
        self.replayed = replayed
        self.verb = "loses least" if self.lost else "earns most"
        earned = "reward of an event" if replayed else "total reward"
        self.measure = f"mean {'regret' if self.lost else earned}"
        self.sign = 1.0 if self.lost else -1.0  # from a loss to what is spoken of

    def shown(self, loss: float) -> str:
        """The loss, or the reward it stands for."""
        return f"{self.sign * loss + 0.0:.4g}"


def words_of(tuned: Tuned) -> Words:
    """How the loss of a result is spoken of."""
    return Words(tuned.loss_name, replayed=tuned.replay is not None)


def settings_of(params: Mapping[str, Any], searched: str) -> str:
    """The parameters besides the one that was searched, as a person would say them.

    >>> settings_of({"alpha": 0.1, "ridge": 2.0, "disjoint": True, "scaling": {"divide_by": [1.0]}}, "alpha")
    'ridge = 2, disjoint, scaling = features'
    """
    told = []
    for name, value in params.items():
        if isinstance(value, bool):
            told += [name] if value else []
        elif name == "prior_means":
            told.append(f"{len(value)} prior means")
        elif name != searched:
            told.append(f"{name} = {'features' if isinstance(value, Mapping) else value}".removesuffix(".0"))
    return ", ".join(told)


def span(interval: Interval) -> str:
    """An interval with as many digits as its ends need to differ, at least four.

    >>> span(Interval(0.123456, 0.123457)), span(Interval(0.0, 4.0))
    ('0.123456 to 0.123457', '0 to 4')
    """
    digits = digits_to_differ(interval)
    return f"{interval.low:.{digits}g} to {interval.high:.{digits}g}"


def digits_to_differ(interval: Interval) -> int:
    """How many significant digits the ends need to look different, at least four."""
    for digits in range(4, 17):
        if f"{interval.low:.{digits}g}" != f"{interval.high:.{digits}g}":
            return digits
    return 17


def at_an_end(tuned: Tuned) -> bool:
    """Whether a wider range might hold something better. Below 0 there is nothing."""
    low, high = tuned.interval
    if tuned.curve.n_pieces == 1:
        return False
    return high == tuned.curve.high or (low == tuned.curve.low and low > 0.0)

"""Where the labels of a picture go: as near as possible to what they name, clear of lines, marks and each other."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

GAP = 4.0  # between a label and what it must not touch
STEP = 2.0  # between the heights that are tried
CHARACTER = 0.56  # the mean width of one, in units of the size of the letters; a little more than most fonts have


class Box(NamedTuple):
    """A part of a drawing, in which heights grow downwards."""

    left: float
    top: float
    right: float
    bottom: float


class Labels:
    """The room that is left for labels in a frame."""

    def __init__(self, frame: Box) -> None:
        self.frame = frame
        self.taken: list[Box] = []

    def keep_clear(self, boxes: Iterable[Box]) -> None:
        """Let no later label touch these."""
        self.taken += boxes

    def place(self, words: str, x: float, y: float, *, size: int, anchor: str, weight: int = 400) -> Box:
        """Take the room for some words that begin or end at x, at the free height that is nearest to y.

        Where everything is taken, they stand at y.

        >>> labels = Labels(Box(0.0, 0.0, 100.0, 100.0))
        >>> labels.keep_clear([Box(0.0, 50.0, 100.0, 50.0)])  # a line through the middle
        >>> labels.place("label", 10.0, 55.0, size=10, anchor="start").top
        35.0
        """
        width = (1.06 if weight > 500 else 1.0) * CHARACTER * size * len(words)
        left, right = (x, x + width) if anchor == "start" else (x - width, x)
        room = self.frame.bottom - self.frame.top - size
        offsets = sorted(np.arange(-room, room + STEP, STEP).tolist(), key=abs)
        tried = (Box(left, y + offset - size, right, y + offset) for offset in [0.0, *offsets])
        wanted = Box(left, y - size, right, y)
        found = next((box for box in tried if self._is_free(box)), wanted)
        self.taken.append(found)
        return found

    def _is_free(self, box: Box) -> bool:
        """Tell whether a box lies within the frame and touches nothing."""
        if box.top < self.frame.top or box.bottom > self.frame.bottom:
            return False
        taken = np.array(self.taken).reshape(-1, 4)
        beside = (taken[:, 0] > box.right + GAP) | (taken[:, 2] < box.left - GAP)
        apart = (taken[:, 1] > box.bottom + GAP) | (taken[:, 3] < box.top - GAP)
        return bool((beside | apart).all())

"""What is trained: the paper's tasks and arms, and the sizes that were reduced to train them on one core."""

from dataclasses import dataclass

from banditune.errors import ParameterError
from banditune.validation import whole_number

RATES = (0.001, 0.002, 0.004, 0.006, 0.008, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8)  # the arms
NOISES = (0.0, 0.1, 0.2, 0.3)  # of the labels
DEPTHS = (2, 4, 6, 8, 10)  # matrices of weights, the last one included
SIDE = 32  # pixels, of an image as it comes


@dataclass(frozen=True, slots=True)
class CifarTask:
    """One of the 20 tasks: networks of one depth, trained on labels of which a proportion is wrong.

    >>> CifarTask(4, 0.1).name, CifarTask(4, 0.1).file_name
    ('depth 4, noise 0.1', 'depth-4-noise-0.1.npz')
    """

    depth: int
    noise: float

    @property
    def name(self) -> str:
        """How the task is called."""
        return f"depth {self.depth}, noise {self.noise:g}"

    @property
    def file_name(self) -> str:
        """Where its accuracies are kept while the job runs."""
        return f"depth-{self.depth}-noise-{self.noise:g}.npz"


TASKS = tuple(CifarTask(depth, noise) for depth in DEPTHS for noise in NOISES)


@dataclass(frozen=True, slots=True)
class Settings:
    """The sizes of a training; another value of any of them is another table.

    >>> Settings().steps
    4000
    """

    images: int = 12_800  # to train on, of the 50,000
    side: int = 8  # pixels, after averaging squares of them
    width: int = 64  # of the hidden layers
    epochs: int = 20
    batch: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("images", "side", "width", "epochs", "batch"):
            whole_number(name, getattr(self, name), least=1)
        whole_number("seed", self.seed, least=0)
        if SIDE % self.side != 0:
            raise ParameterError(f"side must divide {SIDE}, got {self.side}")
        if self.images < self.batch:
            raise ParameterError(f"images must be at least batch ({self.batch}), got {self.images}")

    @property
    def steps(self) -> int:
        """How many steps of gradient descent a network makes; the images left over in an epoch wait for the next."""
        return self.epochs * (self.images // self.batch)

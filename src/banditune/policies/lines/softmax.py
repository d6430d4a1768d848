"""Softmax, or Boltzmann, exploration: arms are drawn with probabilities that grow with their means."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from banditune.errors import ParameterError
from banditune.kernels.lines.bonus import GUMBEL, INVERSE_ROOT, PRODUCT, UNIT, Bonus, growth_at
from banditune.kernels.lines.index import CONSTANT
from banditune.policies.exports import Export, write_script
from banditune.policies.lines.policy import LinePolicy
from banditune.policies.parameters import Choice, Option, Parameter, Setting
from banditune.policies.updates import Updates

GROWTHS = {"constant": CONSTANT, "root": INVERSE_ROOT}


def _invert(temperature: float) -> dict[str, float]:
    if temperature == 0.0:
        raise ParameterError("Vowpal Wabbit's lambda is 1 / temperature: other libraries have no temperature of 0")
    return {"lambda_": 1.0 / temperature}


class Softmax(LinePolicy):
    """Softmax exploration with its `temperature` to be tuned.

    Each round draws an arm with a probability proportional to exp(mean / temperature): it pulls the arm with the
    largest index::

        mean + temperature Gumbel

    where `Gumbel` is a standard Gumbel number of the round and the arm. The first rounds pull every arm once.

    Parameters
    ----------
    n_arms : int
        The number of arms.
    temperature : float, default 0.1
        The temperature, at least 0, in units of the rewards.
    schedule : {"constant", "root"}, default "constant"
        Whether the temperature stays the same or is divided by sqrt(t) in round t.
    seed : int, default 0
        The random seed: give every task one of its own.
    updates : Batches, Delay or Updates, optional
        When rewards become known (batches, delays), and pulls owed to arms; by default, before the next round.

    Examples
    --------
    >>> policy = Softmax(2, temperature=0.05, seed=3)
    >>> policy.update(policy.select(), 1.0)
    >>> policy
    Softmax(n_arms=2, temperature=0.05, pulls=1)
    """

    name: ClassVar[str] = "softmax"
    label: ClassVar[str] = "softmax"
    index: ClassVar[str] = "mean + temperature Gumbel"
    parameters: ClassVar[Mapping[str, Setting]] = {
        "temperature": Parameter(
            "temperature",
            default=0.1,
            usual=(0.1,),
            option=Option("range of the temperature", "fits the scale of the rewards"),
        ),
        "schedule": Choice(
            "schedule",
            default="constant",
            choices=tuple(GROWTHS),
            option=Option("how the temperature falls: constant, or root (divided by sqrt(t))", "constant", "values"),
        ),
    }
    knowledge: ClassVar[str] = "temperature"
    is_randomised: ClassVar[bool] = True
    widest: ClassVar[float] = 1.0
    parts: ClassVar[Bonus] = Bonus(PRODUCT, UNIT, CONSTANT, GUMBEL)
    exports: ClassVar[Mapping[str, Export]] = {
        "mabwiser": Export(  # an arm with a probability proportional to exp(mean / tau)
            lambda temperature: {"tau": temperature},
            write_script(
                "from mabwiser.mab import MAB, LearningPolicy",
                """\
mab = MAB(arms, LearningPolicy.Softmax(tau={tau!r}))
mab.fit(arms, [pull(arm) for arm in arms])  # every arm once
for _ in range(100):
    arm = mab.predict()
    mab.partial_fit([arm], [pull(arm)])
""",
            ),
            "Nearly the same probabilities from the same history: it takes these as the parameters of a Dirichlet "
            "distribution and pulls the arm with the largest number drawn from it. It rejects tau = 0.",
        ),
        "vw": Export(  # an action with a probability proportional to exp(-lambda cost)
            _invert,
            "vw --cb_explore_adf --softmax --lambda {lambda_!r} --dsjson -d decisions.json\n",
            "The same probabilities where its regression predicts the means: its lambda is 1 / temperature, and costs "
            "are minus rewards. It does not begin with every arm once.",
        ),
    }

    temperature: float
    schedule: str

    def __init__(
        self,
        n_arms: int,
        *,
        temperature: float = 0.1,
        schedule: str = "constant",
        seed: int = 0,
        updates: Updates | None = None,
    ) -> None:
        super().__init__(n_arms, {"temperature": temperature, "schedule": schedule}, seed=seed, updates=updates)

    def choice_probabilities(self, *contexts: Any) -> NDArray[np.float64]:
        """Return exp(mean / temperature) of each arm over their sum; 1 for an arm of the first rounds."""
        fall = growth_at(self._bonus, float(self.next_round))
        if self.owes_arm() or self.temperature * fall == 0.0:
            return self.mark_best()
        weights = np.exp((self.means - self.means.max()) / (self.temperature * fall))
        return np.asarray(weights / weights.sum())

    @classmethod
    def make_bonus(cls, settings: Mapping[str, Any], horizon: int) -> Bonus:
        """Return the parts of its index: a temperature that falls or does not."""
        return cls.parts._replace(growth=GROWTHS[settings["schedule"]])

    @classmethod
    def check_export(cls, params: Mapping[str, Any]) -> None:
        """Reject a temperature that falls, which other libraries have not."""
        if params.get("schedule", "constant") != "constant":
            raise ParameterError('other libraries keep the temperature: only schedule="constant" can be converted')

    @classmethod
    def describe_index(cls, params: Mapping[str, Any]) -> str:
        """Return the index with what the schedule divides the temperature by."""
        return cls.index + (" / sqrt(t)" if params.get("schedule") == "root" else "")

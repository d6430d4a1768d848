"""What a Gaussian policy is run with: the prior as a whole, or its parts."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from banditune.errors import ParameterError
from banditune.kernels.lines.index import SCHEDULES
from banditune.policies.gaussian.prior import FLAT, STRUCTURES, GaussianPrior, check_variance
from banditune.policies.parameters import Choice, Option, Parameter, Setting
from banditune.policies.updates import UPDATES
from banditune.validation import format_names, format_value

AUTO = "auto"
WORDS = (AUTO, *STRUCTURES, FLAT)


class PriorSetting(Setting):
    """None, a `GaussianPrior`, or a word that says how one is fitted to past tasks."""

    lists: ClassVar[tuple[type, ...]] = (list, tuple)

    def value(self, given: object) -> Any:
        """None, a word or a prior."""
        if given is None or isinstance(given, GaussianPrior):
            return given
        if isinstance(given, str) and given in WORDS:
            return given
        if isinstance(given, Mapping):
            try:
                return GaussianPrior.from_json(given)
            except (KeyError, TypeError, ValueError) as error:
                raise ParameterError(f"{self.name} cannot be used: {error}") from None
        wanted = f"a GaussianPrior or one of {format_names(WORDS)}"
        raise ParameterError(f"{self.name} must be {wanted}; got {format_value(given)}")

    def plain(self, value: Any) -> Any:
        """As JSON can hold it."""
        return value.to_json() if isinstance(value, GaussianPrior) else value

    def describe(self, value: Any) -> str:
        """Return what kind it is, and of how many arms."""
        if not isinstance(value, GaussianPrior):
            return "" if value is None else f"{self.name} = {value}"
        if value.is_flat:
            return "no prior"
        of = f" of {len(value.arms)} arms" if value.arms else ""
        return f"{value.structure} prior{of}"


class PriorPart(Setting):
    """None, or the prior means, their covariance, or the noise: numbers that are checked together with the arms."""

    lists: ClassVar[tuple[type, ...]] = ()

    def value(self, given: object) -> Any:
        """Return the numbers as plain data."""
        if given is None or isinstance(given, Mapping):
            return given
        if isinstance(given, np.ndarray):
            return given.tolist()
        if isinstance(given, bool | str) or not isinstance(given, Sequence | float | int | np.floating):
            raise ParameterError(f"{self.name} must be numbers, got {format_value(given)}")
        return given

    def plain(self, value: Any) -> Any:
        """Return pairs of arm and number, whatever the arms are called."""
        return [[arm, mean] for arm, mean in value.items()] if isinstance(value, Mapping) else value

    def describe(self, value: Any) -> str:
        """Return how many there are."""
        return "" if value is None else f"{self.name} given"


class Noise(Setting):
    """None, or the variance of a reward."""

    def value(self, given: object) -> Any:
        """None or the variance."""
        return None if given is None else check_variance(self.name, given)


def list_parameters(schedule: str) -> dict[str, Setting]:
    """List the parameters of a Gaussian policy with its usual schedule."""
    return {
        "theta": Parameter(
            "theta",
            default=1.0,
            usual=(1.0,),
            option=Option("range of theta to search, in posterior standard deviations", "0 to 3"),
        ),
        "prior": PriorSetting(
            "prior",
            default=None,
            option=Option(
                "prior that is learned: auto, independent, common, full, exchangeable", "auto", "value", metavar="NAME"
            ),
        ),
        "prior_mean": PriorPart("prior_mean", default=None),
        "prior_cov": PriorPart("prior_cov", default=None),
        "noise": Noise("noise", default=None),
        "schedule": Choice(
            "schedule",
            default=schedule,
            choices=SCHEDULES,
            option=Option("growth of exploration with the round: log, constant or remaining", schedule, "values"),
        ),
        UPDATES.name: UPDATES,
    }


def read_prior(settings: Mapping[str, Any], arms: Sequence[Hashable]) -> GaussianPrior:
    """Return the prior that settings describe: a whole one, or one of its parts for these arms."""
    prior, mean, cov, noise = (settings.get(name) for name in ("prior", "prior_mean", "prior_cov", "noise"))
    if isinstance(prior, str):
        raise ParameterError(f'prior="{prior}" is fitted to past tasks by bt.tune; a run needs a GaussianPrior')
    if prior is not None and (mean is not None or cov is not None):
        raise ParameterError("prior already has means and covariances: give it, or prior_mean and prior_cov, not both")
    if prior is not None:
        return prior if noise is None else prior.scale_noise(noise / prior.noise)  # type: ignore[no-any-return]
    lacking = [name for name, given in (("prior_mean", mean), ("prior_cov", cov), ("noise", noise)) if given is None]
    if mean is None or cov is None or noise is None:
        raise ParameterError(f"{format_names(lacking)} must be given, or a prior as a whole; bt.tune learns one")
    if isinstance(mean, list) and mean and all(isinstance(each, list) and len(each) == 2 for each in mean):
        mean = dict(mean)  # as `plain` writes a mapping
    named = list(mean) if isinstance(mean, Mapping) and np.ndim(cov) == 2 and len(cov) == len(mean) else list(arms)
    return GaussianPrior.of(named, mean, cov, noise)

"""What GP-UCB is run with: its parameters, with their options on the command line."""

from collections.abc import Mapping

from banditune.policies.gpucb.batches import RewardUnit, center_of, scale_of
from banditune.policies.gpucb.beta import Beta
from banditune.policies.gpucb.covariance import Kernel
from banditune.policies.gpucb.learned_covariance import KERNEL, Covariance
from banditune.policies.gpucb.mean import ZERO, Mean
from banditune.policies.gpucb.sweep import STD, VARIANCE
from banditune.policies.parameters import Choice, Number, Option, Parameter, Probability, Setting
from banditune.policies.updates import UPDATES

SETTINGS: Mapping[str, Setting] = {
    "noise": Parameter(
        "noise",
        default=0.01,
        least=1e-10,
        most=1e100,
        scale="log",
        usual=(0.01, 0.0001),
        option=Option("range of the noise variance sigma^2 to search, in units of the rewards' variance", "0.0001 100"),
    ),
    "kernel": Kernel(
        "kernel",
        default="rbf",
        option=Option(
            "rbf, matern12, matern32 or matern52; repeat it to select the best", "rbf", "values", metavar="NAME"
        ),
    ),
    "length_scale": Number(
        "length_scale",
        default=1.0,
        least=1e-9,
        option=Option(
            "length scale, with parameters scaled to [0, 1]; repeat it to select the best",
            "0.1, 0.2, 0.5 and 1",
            "values",
            float,
            "L",
        ),
    ),
    "beta": Beta(
        "beta",
        default=None,  # type: ignore[arg-type]
        most=1e8,
        scale="root",
        usual=(1.0, 0.2),
        option=Option(
            "range of the bonus to search, as a multiple of the schedule beta_t; with --noise, both in turn",
            "the schedule of Srinivas et al.",
        ),
    ),
    "mean_function": Mean(
        "mean_function",
        default=ZERO,
        option=Option(
            "what configurations are expected to give: zero (the same of all), or learned, their average on past "
            "tasks; repeat it to select the best",
            ZERO,
            "values",
            metavar="NAME",
        ),
    ),
    "covariance": Covariance(
        "covariance",
        default=KERNEL,
        option=Option(
            "how configurations go together: kernel (by their distance), learned (half as on past tasks), or the share "
            "from 0 to 1 that is learned; repeat it to select the best",
            KERNEL,
            "values",
            metavar="NAME",
        ),
    ),
    "delta": Probability("delta", default=0.1),
    "center": RewardUnit("center", default=0.0, positive=False, of_means=center_of),
    "scale": RewardUnit("scale", default=1.0, positive=True, of_means=scale_of),
    "bonus": Choice(
        "bonus",
        default=STD,
        choices=(STD, VARIANCE),
        option=Option("std (standard deviation), or variance as printed in the paper", "std", "value", metavar="NAME"),
    ),
    UPDATES.name: UPDATES,
}

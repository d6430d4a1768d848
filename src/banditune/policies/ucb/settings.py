"""What UCB is run with: its parameters, with their options on the command line, and the bundled tasks to try it on."""

from collections.abc import Mapping

from banditune.datasets import headlines, lcdb
from banditune.kernels.lines.index import SCHEDULES
from banditune.policies.base import Bundled
from banditune.policies.parameters import Choice, Number, Option, Parameter, Setting
from banditune.policies.ucb.priors import PriorMeans
from banditune.policies.updates import UPDATES
from banditune.tasks.units import Units

SETTINGS: Mapping[str, Setting] = {
    # usual values: 1 by the paper's theory, 2 in UCB1
    "alpha": Parameter(
        "alpha",
        default=1.0,
        scale="root",
        usual=(1.0, 2.0),
        option=Option("range of alpha to search", "fits the scale of the rewards"),
    ),
    "prior_means": PriorMeans(
        "prior_means", default=None, option=Option("also learn a prior mean for each arm, in this range")
    ),
    "prior_weight": Number(
        "prior_weight", default=1.0, least=1e-9, option=Option("range of the priors' weight, in pulls", "1")
    ),
    "schedule": Choice(
        "schedule",
        default="log",
        choices=SCHEDULES,
        option=Option(
            "what stands in the index for ln t: log (ln t), constant (1) or remaining (ln((T + 1) / t), for runs "
            "of T rounds); repeat it to select the best",
            "log",
            "values",
            metavar="NAME",
        ),
    ),
    UPDATES.name: UPDATES,
}

BUNDLED: Mapping[str, Bundled] = {
    "lcdb": Bundled(
        lcdb,
        200,
        "160 bundled model-selection tasks: which of 20 learners is the most accurate on a data set? From the "
        "Learning Curve Database.",
        draws=1,  # data sets differ so much that what is drawn adds next to nothing to the standard error
    ),
    "headlines": Bundled(
        lambda: headlines()[:80],
        700,  # of some 14,000 views of a test, and
        "80 of the bundled headline tests, simulated like those of a real archive: which of 3 to 6 headlines is "
        "clicked most often?",
        Units("clicks", "views"),
        draws=2,  # so that the first answer comes in a second or two
    ),
}

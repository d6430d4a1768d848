"""The settings that regressions on contexts are run with, and when they learn."""

from banditune.policies.linucb.batches import Scaling
from banditune.policies.parameters import Flag, Number, Option, Setting
from banditune.policies.updates import UPDATES


def list_regression_settings() -> dict[str, Setting]:
    """List them by name."""
    return {
        "ridge": Number(
            "ridge",
            default=1.0,
            least=1e-9,
            option=Option("ridge penalty; repeat it to select the best", "1", "values", float, "R"),
        ),
        "disjoint": Flag("disjoint", default=False),
        "scaling": Scaling(
            "scaling",
            default="none",
            option=Option(
                "scale features not at all (none), by their root mean square over all tasks (features), or each "
                "context to unit length (contexts); repeat it to select the best",
                "none",
                "values",
                metavar="HOW",
            ),
        ),
        UPDATES.name: UPDATES,
    }

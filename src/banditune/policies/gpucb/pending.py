"""Choices whose rewards are still to come: the process takes them to give what it expects (Desautels et al., 2014).

That leaves its means as they are and makes it less unsure, so that the points of a batch differ: GP-BUCB.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.gp.run import make_posterior, observe_pulls


def imagine(
    prior: Any,
    known: Any,
    noise: float,
    counts: NDArray[np.int64],
    sums: NDArray[np.float64],
    pending: NDArray[np.int64],
) -> tuple[Any, Any]:
    """Return the observations with the pending (n,) ones, and what is known from them."""
    totals = sums.copy()
    totals[:, 0] += pending * known.mean
    observed = observe_pulls(counts + pending, totals)
    return observed, make_posterior(prior.covariances, observed, noise, observed.places.size)

"""Choices whose rewards are still to come: the process takes them to give what it expects (Desautels et al., 2014).

That leaves its means as they are and makes it less unsure, so that the points of a batch differ: GP-BUCB.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditune.kernels.gp.run import make_posterior, observe_pulls


def count_pending(prior: Any, noise: float, counts: NDArray[np.int64]) -> Any:
    """Return what is known of points' spreads after counts (n,) choices, rewards known or not; not of their means."""
    observed = observe_pulls(counts, np.zeros((counts.size, 2)))
    return make_posterior(prior.covariances, observed, noise, observed.places.size)

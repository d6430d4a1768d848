"""The policies that can be tuned, on the contract of `base`: a folder each or a file of `lines`, listed in `registry`.

What a policy of another package is written with can be imported from here.
"""

from banditune.policies.base import OnlinePolicy, Policy
from banditune.policies.batches import Terms, batch_streams, score_run
from banditune.policies.gaussian.expectation_maximisation import fit_prior
from banditune.policies.gaussian.prior import GaussianPrior
from banditune.policies.parameters import Choice, Flag, Number, Option, Parameter, Setting
from banditune.policies.registry import names
from banditune.policies.sweep_results import LazySweep, Run, Swept

__all__ = [
    "Choice",
    "Flag",
    "GaussianPrior",
    "LazySweep",
    "Number",
    "OnlinePolicy",
    "Option",
    "Parameter",
    "Policy",
    "Run",
    "Setting",
    "Swept",
    "Terms",
    "batch_streams",
    "fit_prior",
    "names",
    "score_run",
]
